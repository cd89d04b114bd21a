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

// Finds the heap pages that were written by any thread since they were last watched. The system
// write-protects the pages and silently removes the protection at the first write (userfaultfd with
// WP_ASYNC). Swapping a page out or in does not count as a write.
class FarWrites : public AllStatic {
  static bool _is_on;
  static bool _has_huge_pages;

  // Implemented per operating system.
  static bool open();
  static bool scan_written(size_t from, size_t to, bool watch, BitMap& written);
  static bool prepare(size_t from, size_t to);
  // Whether the system has swap.
  static bool has_swap();
  // Whether the system puts the heap into transparent huge pages.
  static bool has_huge_pages();
  // For tests: forgets writes. Always returns false.
  static bool forgets(BitMap& written);

 public:
  // Called after FarPages::initialize. If tracking cannot be turned on, logs the reason.
  static void initialize();
  static bool is_on()   { return _is_on; }

  // Sets the bits of pages that were written or not watched, counted from the page from. Returns
  // false if this is unknown.
  static bool find(size_t from, size_t to, BitMap& written)  {
    return scan_written(from, to, false, written) && !forgets(written);
  }
  // Likewise, and watches all these pages from now on. No write in between is lost. The memory must
  // be committed.
  static bool watch(size_t from, size_t to, BitMap& written) {
    return scan_written(from, to, true, written) && !forgets(written);
  }
  // Whether to watch pages although none is swapped out. There must be swap, and the heap must not
  // be in huge pages: the system splits a watched huge page at the first write.
  static bool may_watch_early() { return !_has_huge_pages && has_swap(); }
};

#endif // SHARE_GC_TERRACE_FAR_FARWRITES_HPP
