/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARSUMMARIES_HPP
#define SHARE_GC_TERRACE_FAR_FARSUMMARIES_HPP

#include "gc/terrace/far/farSummary.hpp"
#include "memory/allStatic.hpp"

class HeapRegion;

// The summaries of pages. They are taken when remembered sets are rebuilt, which
// reads all that lives in the order of addresses: of the objects on the page that
// the cycle has found alive. The next cycle marks them all, if it comes upon one.
//
// A summary is valid as long as the page is not written (FarWrites), and the same
// objects are marked in the previous bitmap. Each cycle makes the tables anew, so
// what it did not come by is gone.
class FarSummaries : public AllStatic {
  static const size_t Classes = 64;    // of sizes
  static const size_t ClassSize = 16;  // bytes
  static const size_t HeapPerBudget = 32;

  static FarRegionSummaries** _regions;
  static FarRegionSummaries** _growing;
  static uint            _region_count;
  static uint            _cycle;
  static uint            _full_collections;
  static bool            _taking;
  static size_t          _limit;       // of one summary
  static size_t          _budget;
  static volatile size_t _size;        // of the tables made in this cycle
  static volatile size_t _class_sizes[Classes]; // sums of summaries by size, in this cycle
  static volatile size_t _taken;
  static volatile size_t _kept;
  static volatile size_t _too_large;
  static volatile size_t _refused;

  static void drop(uint region);
  static void drop_all();
  static size_t room();
  static void count(size_t size);

 public:
  static const size_t SlotSize = 4;

  // False if there is no memory.
  static bool initialize();

  // By the thread that coordinates a cycle.
  static void begin_cycle();
  static void end_cycle(bool is_complete);
  // Whether this cycle is to take summaries.
  static bool is_taking()                          { return _taking; }

  // NULL: there are none.
  static FarRegionSummaries* of_region(uint region) { return _regions[region]; }
  static FarRegionSummaries* growing(uint region)   { return _growing[region]; }

  // By the worker that rebuilds remembered sets of the region.
  static void begin_region(uint region);
  static void end_region(uint region);
  static void add(uint region, size_t page_in_region, const FarPageSummary& summary);
  static void keep(uint region, size_t page_in_region, const u1* start, const u1* end, bool crosses);
  static void count_refused();
};

#endif // SHARE_GC_TERRACE_FAR_FARSUMMARIES_HPP
