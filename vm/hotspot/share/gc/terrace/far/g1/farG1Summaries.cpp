/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.hpp"
#include "gc/g1/g1ConcurrentMarkBitMap.inline.hpp"
#include "gc/g1/heapRegion.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/g1/farG1Summaries.hpp"
#include "utilities/powerOfTwo.hpp"

uint FarG1Summaries::_full_collections = 0;

bool FarG1Summaries::initialize() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  return FarSummaries::initialize(heap->max_regions(), HeapRegion::GrainBytes / os::vm_page_size(), heap->max_capacity());
}

size_t FarG1Summaries::pages_per_step() {
  return MIN2((size_t)FarPages::ChunkPages, HeapRegion::GrainBytes / os::vm_page_size());
}

bool FarG1Summaries::has_whole_chunks() {
  return pages_per_step() * os::vm_page_size() % G1RebuildRemSetChunkSize == 0 &&
         G1RebuildRemSetChunkSize % os::vm_page_size() == 0;
}

// Summaries do not survive a full collection, because it moves objects within their regions.
void FarG1Summaries::begin_cycle() {
  const uint full_collections = G1CollectedHeap::heap()->total_full_collections();
  if (full_collections != _full_collections) {
    FarSummaries::drop_all();
    _full_collections = full_collections;
  }
  FarSummaries::begin_cycle();
}

bool FarG1Summaries::describes(const FarRegionSummaries* summaries, const HeapRegion* region, const G1CMBitMap* bitmap, size_t page) {
  const size_t objects = FarSummaryReader(summaries->bytes(page - FarPages::page_of(region->bottom())), 0).objects();
  if (region->is_humongous() || objects == 0) {
    return region->is_humongous() && objects == 0;
  }
  HeapWord* const top = FarPages::bottom_of(page + 1);
  size_t count = 0;
  for (HeapWord* addr = bitmap->get_next_marked_addr(FarPages::bottom_of(page), top); addr < top;
       addr = bitmap->get_next_marked_addr(addr + MinObjAlignment, top)) {
    count++;
  }
  return objects == count;
}

// Objects marked by the cycle that creates the summary. Objects above the top at mark start have no
// mark, so their page cannot stand for them.
class FarMarkedTargets : public FarTargets {
  const G1CMBitMap* const _bitmap;

 public:
  FarMarkedTargets() :
    FarTargets(os::vm_page_size() / FarSummaries::SlotSize / PartsPerPage, log2i_exact(os::vm_page_size()) - LogMinObjAlignmentInBytes,
               HeapRegion::LogOfHRGrainBytes - LogMinObjAlignmentInBytes),
    _bitmap(G1CollectedHeap::heap()->concurrent_mark()->prev_mark_bitmap()) {}

  virtual bool is_marked(size_t target) const { return _bitmap->is_marked(FarPages::object_at(target)); }
};

void FarG1Summaries::add(HeapRegion* region, size_t page, FarPageSummary& summary) {
  const FarMarkedTargets targets;
  FarSummaries::add(region->hrm_index(), page - FarPages::page_of(region->bottom()), summary, &targets);
}
