/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARWRITES_HPP
#define SHARE_GC_TERRACE_FAR_FARWRITES_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class BitMap;

// Which pages of the heap were written, by whoever, since they were last watched.
// The system write-protects pages, and takes the protection away at the first
// write, without telling anyone (userfaultfd, WP_ASYNC). That a page is swapped
// out or read in changes nothing.
class FarWrites : public AllStatic {
  static bool _is_on;

  // The operating system.
  static bool open();
  static bool scan_written(size_t from, size_t to, bool watch, BitMap& written);
  static bool prepare(size_t from, size_t to);
  // False, always.
  static bool forgets(BitMap& written);

 public:
  // After FarPages. Says in the log why it stays off.
  static void initialize();
  static bool is_on()   { return _is_on; }

  // Sets the bits (counted from from) of pages that were written, and of those that
  // nobody watched. False: not known.
  static bool find(size_t from, size_t to, BitMap& written)  {
    return scan_written(from, to, false, written) && !forgets(written);
  }
  // From now on all of them are watched; what was written is told, and not lost. The
  // memory must be committed.
  static bool watch(size_t from, size_t to, BitMap& written) {
    return scan_written(from, to, true, written) && !forgets(written);
  }
  // Whether anything can be swapped out.
  static bool has_swap();
};

#endif // SHARE_GC_TERRACE_FAR_FARWRITES_HPP
