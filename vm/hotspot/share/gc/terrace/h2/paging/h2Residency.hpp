/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2RESIDENCY_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2RESIDENCY_HPP

#include "gc/terrace/h2/paging/h2ResidencyBudget.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"

class H2Region;

// Decides which regions stay in memory while the program repeatedly reads more data than memory
// holds. The system evicts the least recently used pages. In such a pass, these are the pages that
// are read next, so every read would miss. Therefore a part of the regions stays, and the
// other regions are paged out as soon as the program has read them, before the system must choose.
//
// Each region has such a state. It is protected by the lock of H2Pager, or accessed at a
// safepoint.
class H2Residency : public CHeapObj<mtGC> {
  // All fields are zero for a region that was never read.
  struct OfRegion {
    bool   passed;          // the program has read a part of it
    bool   paged_out;       // and a part was paged out since
    size_t kept_bytes;      // bytes in the budget, or 0 if it does not stay
  };

  static H2Residency* _of_h2;

  H2ResidencyBudget _budget;
  OfRegion* const   _of_regions;

  // Memory for everything but the two heaps.
  static const size_t MinReserve = 256 * M;
  static const size_t ReserveFraction = 16;

  NONCOPYABLE(H2Residency);

  H2Residency(uint region_count);
  static size_t resident_estimate();
  OfRegion& of(const H2Region* r);

 public:
  static void initialize(uint region_count) { _of_h2 = new H2Residency(region_count); }
  static H2Residency& of_h2()               { return *_of_h2; }

  // Whether memory has no room for all of H2: it is larger than what H1 leaves, or the system has evicted pages.
  bool is_short() const;

  // Forgets what is known about a region.
  void release(const H2Region* r);

  // Called when the program has read this piece of a region, and will read others first. Returns
  // whether it stays.
  bool stays(MemRegion piece);
  // Called when the program is about to read this piece of a region. Compares the last decision
  // with the pages that are present.
  void comes_back(MemRegion piece);
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2RESIDENCY_HPP
