/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARYOUNG_HPP
#define SHARE_GC_TERRACE_FAR_FARYOUNG_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The young generation follows what is local. G1 gives it up to 60 percent of the
// heap. What of eden has no room in memory is written out before it dies, and read
// again before it is overwritten. So while the process swaps, these are percent of
// that part of the heap that has room. The lower bound, 5 percent of the heap, stays:
// each pause reads cards and destinations in, so many small ones cost more.
class FarYoung : public AllStatic {
  static volatile uint _local;         // regions that have room in memory; 0: all
  static julong _beside;               // what the VM needs beside the heap, in bytes: the least that was seen

  static uint regions_with_room();
  static void log_absent();
  static void shorten();

 public:
  // By FarRefresher.
  static void update(bool is_swapped);

  // Whether the process swaps, and how many regions have room in memory then.
  static bool is_short()                 { return _local != 0; }
  static uint local()                    { return _local; }

  // Of all regions, those that have room beside what the VM needs for other things:
  // at least one.
  static uint local(julong memory, julong beside, size_t region_size, uint regions) {
    const julong room = memory > beside ? memory - beside : 0;
    return (uint)clamp(room / region_size, (julong)1, (julong)regions);
  }
  // The same part of the local regions as length is of all of them.
  static uint scaled(uint length, uint local, uint regions) {
    return local >= regions ? length : MAX2((uint)((julong)length * local / regions), 1u);
  }

  // The hook of G1's sizing: a length that follows from percent of the heap.
  static uint scaled(uint length) { return _local == 0 ? length : scaled_slow(length); }

 private:
  static uint scaled_slow(uint length);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_FARYOUNG_HPP
