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
#include "runtime/atomic.hpp"

// The summaries of pages, by regions. A cycle creates them when it reads all live objects in address
// order. A summary describes the live objects that start on a page. The next cycle marks all these
// objects if it reaches one of them.
//
// A summary is valid as long as the page is not written (FarWrites) and the collector finds the same
// objects alive. Each cycle rebuilds the tables, so summaries of pages that it did not visit disappear.
class FarSummaries : public AllStatic {
  static const size_t Classes = 128;   // size classes, up to half a page of 4 KB
  static const size_t ClassSize = 16;  // bytes
  static const size_t HeapPerBudget = 32;

  static FarRegionSummaries** _regions;
  static FarRegionSummaries** _growing;
  static FarRegionSummaries* volatile _unlinked; // a list
  static uint            _region_count;
  static size_t          _pages_per_region;
  static uint            _cycle;
  static bool            _taking;
  static bool            _was_read;
  static size_t          _limit;       // largest size of one summary
  static size_t          _budget;
  static volatile size_t _size;        // total size of this cycle's tables
  static volatile size_t _class_sizes[Classes]; // total sizes of this cycle's summaries by size class
  static volatile size_t _taken;
  static volatile size_t _by_page;     // those of the taken summaries whose references are written by page
  static volatile size_t _kept;
  static volatile size_t _too_large;
  static volatile size_t _refused;

  static void unlink_table(FarRegionSummaries** place);
  static void delete_unlinked();
  static size_t room();
  static size_t exact_room();
  static void count(size_t size);

 public:
  static const size_t SlotSize = 4;

  // heap_size is the largest size of the heap in bytes. Returns false if there is no memory.
  static bool initialize(uint region_count, size_t pages_per_region, size_t heap_size);

  // Called by the thread that coordinates a cycle.
  static void begin_cycle();
  static void end_cycle(bool is_complete);
  // Whether this cycle creates summaries.
  static bool is_taking()                          { return _taking; }
  // Whether a cycle has read pages to summarize them since all summaries were last dropped.
  static bool was_read()                           { return _was_read; }

  // NULL if the region has no summaries.
  static FarRegionSummaries* of_region(uint region) { return Atomic::load(&_regions[region]); }
  static FarRegionSummaries* growing(uint region)   { return _growing[region]; }

  static void drop(uint region);
  static void drop_all();
  // Removes the table of a region. Any thread may call this at any time, also with locks that must be short. The coordinating
  // thread deletes the table at the end of the cycle.
  static void unlink(uint region);

  // Called by the worker that reads the objects of the region.
  static void begin_region(uint region);
  static void end_region(uint region);
  // targets: NULL if a summary cannot name pages of targets.
  static void add(uint region, size_t page_in_region, FarPageSummary& summary, const FarTargets* targets);
  static void keep(uint region, size_t page_in_region, const u1* start, const u1* end, bool crosses);
  // Whether the current cycle has created the table.
  static bool is_new(const FarRegionSummaries* table) { return table->cycle() == _cycle; }
  // Keeps the table of a region that the cycle has not read, with this number of summaries.
  static void keep_table(FarRegionSummaries* table, size_t summaries);
  static void count_refused();
};

#endif // SHARE_GC_TERRACE_FAR_FARSUMMARIES_HPP
