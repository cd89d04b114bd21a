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
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/terrace/far/farRebuild.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/align.hpp"

void FarRebuild::ask_ahead(HeapWord* start, HeapWord* limit) {
  const size_t step = MIN2(FarPages::ChunkPages * os::vm_page_size(), HeapRegion::GrainBytes);
  if (!is_aligned(start, step)) {
    return;                            // asked for with an earlier chunk
  }
  HeapRegion* const region = G1CollectedHeap::heap()->heap_region_containing(start);
  const size_t first = FarPages::page_of(start);
  const size_t end = FarPages::page_of(MIN2(start + step / HeapWordSize, limit) - 1) + 1;
  FarPages::refresh(first, end);
  if (FarPages::next_absent(first, end) == end) {
    return;
  }
  // Of a large array, only the first page is known to be marked.
  const bool is_array = region->is_humongous() && cast_to_oop(region->humongous_start_region()->bottom())->is_objArray();
  const G1CMBitMap* const bitmap = G1CollectedHeap::heap()->concurrent_mark()->prev_mark_bitmap();
  HeapWord* const tams = region->prev_top_at_mark_start();
  FarPageSet wanted;
  wanted.reset(first);
  for (size_t page = FarPages::next_absent(first, end); page < end; page = FarPages::next_absent(page + 1, end)) {
    HeapWord* const bottom = FarPages::bottom_of(page);
    HeapWord* const top = bottom + FarPages::words_per_page();
    if (is_array || top > tams || bitmap->get_next_marked_addr(bottom, top) < top) {
      wanted.add(page);
    }
  }
  FarStatistics::add_rebuild(FarPages::ask_for(wanted), 0);
}

void FarRebuild::give_back(MemRegion chunk) {
  const size_t given = FarPages::give_back(FarPages::page_of(chunk.start()), FarPages::page_of(chunk.last()) + 1);
  FarStatistics::add_rebuild(0, given);
}
