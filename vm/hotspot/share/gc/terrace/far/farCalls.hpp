/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARCALLS_HPP
#define SHARE_GC_TERRACE_FAR_FARCALLS_HPP

#include "gc/terrace/terraceCalls.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The places from which far memory calls the operating system. The second argument is the errno of
// a simulated failure, unless the property names another one.
#define FAR_CALLS(f)                                                        \
  f(pagemap_open,     EACCES)                                               \
  f(pagemap_scan,     ENOTTY)   /* Linux before 6.7 */                      \
  f(pagemap_read,     EIO)                                                  \
  f(userfaultfd,      EPERM)    /* where it is not allowed */               \
  f(userfaultfd_api,  EINVAL)   /* Linux before 6.7 */                      \
  f(userfaultfd_register, EINVAL)                                           \
  f(written_scan,     ENOMEM)                                               \
  f(huge_pages_open,  EACCES)                                               \
  f(table_reserve,    ENOMEM)                                               \
  f(table_commit,     ENOMEM)                                               \
  f(table_discard,    EINVAL)                                               \
  f(willneed,         EAGAIN)                                               \
  f(read_roots,       EAGAIN)                                               \
  f(cold,             EINVAL)   /* Linux before 5.4 */                      \
  f(pageout,          EINVAL)   /* ditto */                                 \
  f(free,             EINVAL)   /* Linux before 4.5 */                      \
  f(status_open,      EMFILE)                                               \
  f(faults_open,      EMFILE)                                               \
  f(own_faults,       EINVAL)

// Simulates failures of system calls for tests (TerraceCalls), as the property terrace.far.failCall
// says.
class FarCalls : public AllStatic {
 public:
#define FAR_CALL_ENUM(name, error) name,
  enum Place { FAR_CALLS(FAR_CALL_ENUM) PlaceCount };
#undef FAR_CALL_ENUM

 private:
  static TerraceCalls _calls;

  static bool fails_now(Place place);

 public:
  // Returns NULL, or an error message about the property.
  static const char* initialize()  { return _calls.initialize(); }

  // Whether this call must fail without being made. If so, errno is set.
  static bool fails(Place place)   { return _calls.has_rule(place) && fails_now(place); }
};

// Makes a system call, or returns its failure value if the failure is simulated.
#define FAR_CALL(place, failure, call) (FarCalls::fails(FarCalls::place) ? (failure) : (call))

#endif // SHARE_GC_TERRACE_FAR_FARCALLS_HPP
