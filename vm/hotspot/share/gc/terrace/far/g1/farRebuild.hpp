/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARREBUILD_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARREBUILD_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/terrace/far/g1/farMarking.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"

class FarRegionSummaries;
class G1CMBitMap;
class G1RebuildRemSetClosure;
class HeapRegion;

// Prefetches pages for a chunk of a region whose references G1 reads to rebuild remembered sets. It
// requests absent pages with live objects or parts of a live humongous array in advance, up to 2 MB
// at once, and pages them out afterwards. For a page that was not written since its summary was
// created, the references come from the summary, and the page is not read. The other pages get new
// summaries, except those that FarRebuild cannot summarize, such as the first page of an array.
class FarRebuild : public StackObj {
  const MemRegion _chunk;
  HeapRegion* const _region;
  const bool _is_last;

  static void begin(HeapRegion* region, MemRegion chunk, HeapWord* limit);
  static void watch(HeapRegion* region, size_t first, size_t end);
  static bool may_summarize(const HeapRegion* region);
  static const FarRegionSummaries* summaries_of(HeapRegion* region, size_t page);
  static bool is_summarized(HeapRegion* region, size_t page, const G1CMBitMap* bitmap);
  static void remember(G1RebuildRemSetClosure* closure, HeapRegion* to, HeapWord* bottom, size_t parts);
  static size_t use_summary(G1RebuildRemSetClosure* closure, HeapRegion* region, size_t page);
  static size_t scan_crossing_array(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, MemRegion mr,
                                    HeapWord*& end);
  static size_t scan_array(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, MemRegion mr);
  static size_t scan_chunk(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, HeapWord* tams, MemRegion mr);
  static void ask_ahead(HeapRegion* region, MemRegion chunk, HeapWord* limit);
  static void give_back(MemRegion chunk);

 public:
  FarRebuild(HeapRegion* region, MemRegion chunk, HeapWord* limit) :
    _chunk(chunk), _region(region), _is_last(chunk.end() == limit) {
    if (FarMarking::is_rebuilding()) {
      begin(region, chunk, limit);
    }
  }
  ~FarRebuild();

  // Scans the part of mr below the top at mark start, removes it from mr, and returns its number of
  // live words.
  static size_t scan(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, HeapWord* tams, MemRegion& mr) {
    if (!FarMarking::needs_rebuild() || mr.start() >= tams || !may_summarize(region)) {
      return 0;
    }
    const size_t words = region->is_old() ? scan_chunk(closure, region, bitmap, tams, mr) : scan_array(closure, region, bitmap, mr);
    mr = mr.end() > tams ? MemRegion(tams, mr.end()) : MemRegion(mr.end(), (size_t)0);
    return words;
  }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_G1_FARREBUILD_HPP
