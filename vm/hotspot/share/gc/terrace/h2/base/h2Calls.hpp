/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_H2_BASE_H2CALLS_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2CALLS_HPP

#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceCalls.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The places in which H2 calls the operating system. Each has the errno of a call that a test
// makes fail, unless the test requests another one.
#define H2_CALLS(f)                                                         \
  /* start */                                                               \
  f(stat,             EACCES)                                               \
  f(access,           EACCES)                                               \
  f(statvfs,          EIO)                                                  \
  f(tmpfile,          EMFILE)                                               \
  f(mkostemp,         EACCES)   /* where the file system has no O_TMPFILE */ \
  f(unlink,           EPERM)    /* ditto */                                 \
  f(ftruncate,        EFBIG)                                                \
  f(mmap,             ENOMEM)                                               \
  f(unlock_new,       ENOMEM)                                               \
  f(random,           EINVAL)                                               \
  f(hugepage,         EINVAL)                                               \
  f(out_of_core,      EINVAL)                                               \
  f(fstatfs,          EIO)                                                  \
  f(file_flags,       EOPNOTSUPP)                                           \
  f(trial_tmpfile,    EMFILE)   /* on a file system that is not known */    \
  f(fiemap,           EOPNOTSUPP) /* ditto */                               \
  f(reserve,          ENOMEM)   /* side tables */                           \
  f(watch_cards,      EPERM)    /* four at start, then scans in pauses */   \
  /* regions and transfers */                                               \
  f(fallocate,        ENOSPC)                                               \
  f(commit,           ENOMEM)   /* side tables */                           \
  f(into_core,        EINVAL)                                               \
  f(pwrite,           ENOSPC)                                               \
  f(punch,            EOPNOTSUPP)                                           \
  f(allow,            ENOMEM)                                               \
  f(deny,             ENOMEM)                                               \
  f(zero,             EINVAL)                                               \
  f(sync_file_range,  EIO)                                                  \
  /* paging */                                                              \
  f(prefetch,         EIO)                                                  \
  f(pageout,          EINVAL)                                               \
  f(unmap_pages,      EINVAL)   /* with H2FastSize */                       \
  f(drop_pages,       EINVAL)   /* ditto */                                 \
  f(cache_state,      ENOSYS)   /* ditto; Linux before 6.5 */               \
  f(mincore,          ENOMEM)                                               \
  f(pagemap_open,     EACCES)   /* with H2TierPolicy=monitor, both, writes; to find modes without huge pages */ \
  f(scan_pages,       ENOTTY)   /* ditto; Linux before 6.7 */               \
  f(watch_pages,      EINVAL)   /* ditto */                                 \
  f(userfaultfd,      EPERM)    /* with H2TierPolicy=writes */              \
  f(userfaultfd_api,  EINVAL)   /* ditto; Linux before 6.7 */               \
  f(userfaultfd_register, EINVAL) /* ditto */                               \
  f(memfd,            EMFILE)   /* with AllocateH2OnNode */                 \
  f(node_open,        ENOENT)   /* ditto */                                 \
  f(node_read,        EIO)      /* ditto */                                 \
  f(get_policy,       EPERM)    /* ditto */                                 \
  f(set_policy,       EPERM)    /* ditto, with more than one node */        \
  f(bind,             EPERM)    /* ditto */                                 \
  f(populate,         EFAULT)   /* ditto, with H2FastSize */                \
  f(page_nodes,       EPERM)    /* ditto */                                 \
  f(move_pages,       ENOMEM)   /* ditto, with more than one node */        \
  f(wait_open,        EMFILE)                                               \
  f(wait_read,        EIO)                                                  \
  /* locked memory */                                                       \
  f(status_open,      EMFILE)                                               \
  f(status_read,      EIO)                                                  \
  f(unlock,           ENOMEM)   /* where memory is locked */                \
  /* the table of a marking through H2 */                                   \
  f(scratch_tmpfile,  EMFILE)                                               \
  f(scratch_fallocate, ENOSPC)                                              \
  f(scratch_ftruncate, ENOSPC)  /* where fallocate is EOPNOTSUPP */         \
  f(scratch_mmap,     ENOMEM)                                               \
  f(scratch_anonymous, ENOMEM)  /* without space for the file */            \
  f(scratch_allow,    ENOMEM)                                               \
  f(scratch_sync_file_range, EIO)                                           \
  f(scratch_deny,     ENOMEM)                                               \
  f(scratch_drop,     EIO)                                                  \
  f(scratch_munmap,   ENOMEM)   /* where none could be kept at the start */ \
  f(scratch_close,    EIO)      /* ditto */

// Makes calls of the operating system fail, for tests (TerraceCalls). The property
// terrace.h2.failCall selects the calls.
class H2Calls : public AllStatic {
 public:
#define H2_CALL_ENUM(name, error) name,
  enum Place { H2_CALLS(H2_CALL_ENUM) PlaceCount };
#undef H2_CALL_ENUM

 private:
  static TerraceCalls _calls;

  static bool fails_now(Place place);

 public:
  // Returns NULL, or the error in the property.
  static const char* initialize()  { return _calls.initialize(); }

  // Whether a call must fail instead of being executed. If so, sets errno.
  static bool fails(Place place)   { return _calls.has_rule(place) && fails_now(place); }
};

// The result of the call, or the given result if the call must fail.
#define H2_CALL(place, failure, call) (H2Calls::fails(H2Calls::place) ? (failure) : (call))

#endif // SHARE_GC_TERRACE_H2_BASE_H2CALLS_HPP
