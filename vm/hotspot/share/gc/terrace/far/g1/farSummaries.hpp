/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARSUMMARIES_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARSUMMARIES_HPP

#include "gc/terrace/far/farSummary.hpp"
#include "memory/allStatic.hpp"

class G1CMBitMap;
class HeapRegion;

// The summaries of pages. A cycle creates them when it rebuilds remembered sets, which reads all
// live objects in address order. A summary describes the live objects that start on a page. The
// next cycle marks all these objects if it reaches one of them. On a page inside a humongous array
// of references, a summary describes the slots of the array. The next cycle marks their targets if
// it scans the array.
//
// A summary is valid as long as the page is not written (FarWrites) and the same objects are marked
// in the previous bitmap. Each cycle rebuilds the tables, so summaries of pages that it did not
// visit disappear.
class FarSummaries : public AllStatic {
  static const size_t Classes = 128;   // size classes, up to half a page of 4 KB
  static const size_t ClassSize = 16;  // bytes
  static const size_t HeapPerBudget = 32;

  static FarRegionSummaries** _regions;
  static FarRegionSummaries** _growing;
  static uint            _region_count;
  static uint            _cycle;
  static uint            _full_collections;
  static bool            _taking;
  static size_t          _limit;       // largest size of one summary
  static size_t          _budget;
  static volatile size_t _size;        // total size of this cycle's tables
  static volatile size_t _class_sizes[Classes]; // total sizes of this cycle's summaries by size class
  static volatile size_t _taken;
  static volatile size_t _by_page;     // those of the taken summaries whose references are written by page
  static volatile size_t _kept;
  static volatile size_t _too_large;
  static volatile size_t _refused;

  static void drop(uint region);
  static void drop_all();
  static size_t room();
  static size_t exact_room();
  static void count(size_t size);

 public:
  static const size_t SlotSize = 4;

  // Returns false if there is no memory.
  static bool initialize();

  // The rebuild watches and requests this number of pages at once.
  static size_t pages_per_step();
  // Whether a step consists of whole chunks, and a chunk of whole pages. Otherwise a summary might
  // describe an unwatched page, or a part of a page.
  static bool has_whole_chunks();

  // Called by the thread that coordinates a cycle.
  static void begin_cycle();
  static void end_cycle(bool is_complete);
  // Whether this cycle creates summaries.
  static bool is_taking()                          { return _taking; }

  // NULL if the region has no summaries.
  static FarRegionSummaries* of_region(uint region) { return _regions[region]; }
  static FarRegionSummaries* growing(uint region)   { return _growing[region]; }

  // Whether as many objects are marked on the page as its summary counts. The marked objects are a
  // subset of the summarized objects, so the sets are then equal. In a humongous region, whether the
  // summary describes a page of an array of references after its first. The caller checks that the
  // array is marked.
  static bool describes(const FarRegionSummaries* summaries, const HeapRegion* region, const G1CMBitMap* bitmap, size_t page);

  // Called by the worker that rebuilds the remembered sets of the region.
  static void begin_region(uint region);
  static void end_region(uint region);
  static void add(uint region, size_t page_in_region, FarPageSummary& summary);
  static void keep(uint region, size_t page_in_region, const u1* start, const u1* end, bool crosses);
  static void count_refused();
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARSUMMARIES_HPP
