/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARARRAYS_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARARRAYS_HPP

#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"

class G1CMBitMap;
class HeapRegion;

// Humongous arrays of references. The array starts on the first page of its regions. G1 fills the
// rest of the last region with filler objects, which are never marked. A summary of another page
// than the first therefore counts no object and describes only slots. Marking reaches such a page
// when it scans a slice of the array, and leaves the page out if it is marked from its summary.
class FarArrays : public AllStatic {
 public:
  // Returns the array if it begins or continues in the region, and the last complete marking has
  // marked it. Returns NULL for other regions. Reads the header of the array.
  static objArrayOop array_of(const HeapRegion* region, const G1CMBitMap* bitmap);
  // Likewise, but does not read the header, so the object may be of any class.
  static bool is_marked(const HeapRegion* region, const G1CMBitMap* bitmap);

  // Divides the pages from first to end. Calls leave_out for each page of the set, and scan for each
  // longest run of other pages.
  template <typename Contains, typename LeaveOut, typename Scan>
  static void divide(size_t first, size_t end, Contains contains, LeaveOut leave_out, Scan scan) {
    size_t start = first;              // of the run that ends before page
    for (size_t page = first; page < end; page++) {
      if (contains(page)) {
        if (start < page) {
          scan(start, page);
        }
        leave_out(page);
        start = page + 1;
      }
    }
    if (start < end) {
      scan(start, end);
    }
  }
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARARRAYS_HPP
