/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARG1SUMMARIES_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARG1SUMMARIES_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class FarPageSummary;
class FarRegionSummaries;
class G1CMBitMap;
class HeapRegion;

// Summaries of pages (FarSummaries) under G1. A cycle creates summaries when it rebuilds remembered sets. On a page
// inside a humongous array of references, a summary describes the slots of the array. The next cycle
// marks their targets if it scans the array.
//
// A summary is valid as long as the page is not written and the same objects are marked in the
// previous bitmap.
class FarG1Summaries : public AllStatic {
  static uint _full_collections;

 public:
  // Returns false if there is no memory.
  static bool initialize();

  // The rebuild watches and requests this number of pages at once.
  static size_t pages_per_step();
  // Whether a step consists of whole chunks, and a chunk of whole pages. Otherwise a summary might
  // describe an unwatched page, or a part of a page.
  static bool has_whole_chunks();

  // Called by the thread that coordinates a cycle.
  static void begin_cycle();

  // Whether as many objects are marked on the page as its summary counts. The marked objects are a
  // subset of the summarized objects, so the sets are then equal. In a humongous region, whether the
  // summary describes a page of an array of references after its first. The caller checks that the
  // array is marked.
  static bool describes(const FarRegionSummaries* summaries, const HeapRegion* region, const G1CMBitMap* bitmap, size_t page);

  // Called by the worker that rebuilds the remembered sets of the region.
  static void add(HeapRegion* region, size_t page, FarPageSummary& summary);
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARG1SUMMARIES_HPP
