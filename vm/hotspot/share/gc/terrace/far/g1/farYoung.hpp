/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARYOUNG_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARYOUNG_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Fits the young generation to the local memory. G1 gives it up to 60 percent of the heap. The part
// of eden that does not fit in memory is swapped out before its objects die, and read again before
// it is overwritten. So while the process swaps, these percentages apply to the part of the heap
// that fits in memory. The lower bound of 5 percent of the heap remains, because each pause reads
// cards and destination regions, so many small pauses cost more.
class FarYoung : public AllStatic {
  static volatile uint _local;         // regions that fit in memory, or 0 if all do
  static julong _beside;               // memory of the VM outside the heap in bytes, the smallest estimate so far

  static uint regions_with_room();
  static void log_absent();
  static void shorten();

 public:
  // Called by FarRefresher.
  static void update(bool is_swapped);

  // Whether the process swaps, and if so, how many regions fit in memory.
  static bool is_short()                 { return _local != 0; }
  static uint local()                    { return _local; }

  // The number of regions that fit in memory beside the other memory of the VM, at least one.
  static uint local(julong memory, julong beside, size_t region_size, uint regions) {
    const julong room = memory > beside ? memory - beside : 0;
    return (uint)clamp(room / region_size, (julong)1, (julong)regions);
  }
  // Scales a length from the number of all regions to the number of local regions.
  static uint scaled(uint length, uint local, uint regions) {
    return local >= regions ? length : MAX2((uint)((julong)length * local / regions), 1u);
  }

  // The hook of G1's sizing, for a length that was computed as a percentage of the heap.
  static uint scaled(uint length) { return _local == 0 ? length : scaled_slow(length); }

 private:
  static uint scaled_slow(uint length);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_G1_FARYOUNG_HPP
