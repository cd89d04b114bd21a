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
#include "gc/g1/g1CardTable.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/g1/farMarkBitmaps.hpp"
#include "gc/terrace/far/g1/farRoots.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"

volatile size_t FarRoots::_all_asked = 0;

// With larger requests, the first pages would be paged out before they are scanned.
static const size_t LocalPerRequests = 8;

// The starting regions of the workers are this far apart.
uint FarRoots::share(uint regions) {
  const uint workers = G1CollectedHeap::heap()->workers()->active_workers();
  return (regions + workers - 1) / workers;
}

size_t FarRoots::most_pages() {
  const size_t local = (size_t)FarYoung::local() * HeapRegion::GrainBytes / os::vm_page_size();
  return local / LocalPerRequests / G1CollectedHeap::heap()->workers()->active_workers();
}

bool FarRoots::has_dirty_card(HeapWord* start, size_t bytes) {
  const CardTable::CardValue* const first = G1CollectedHeap::heap()->card_table()->byte_for(start);
  return memchr(first, G1CardTable::dirty_card_val(), bytes / CardTable::card_size) != NULL;
}

// The scan reads no mark bits above the top at mark start.
void FarRoots::ask_for_marks(HeapRegion* region) {
  const size_t span = MIN2(FarMarkBitmaps::bytes_per_page(), HeapRegion::GrainBytes);
  HeapWord* start = region->bottom();
  while (start < region->prev_top_at_mark_start()) {
    HeapWord* const first = start;
    while (start < region->prev_top_at_mark_start() && has_dirty_card(start, span)) {
      start += span / HeapWordSize;
    }
    if (first == start) {
      start += span / HeapWordSize;
    } else {
      FarPages::read(FarMarkBitmaps::pages_of(MemRegion(first, start)));
    }
  }
}

void FarRoots::ask_for_cards(HeapRegion* region) {
  size_t page = FarPages::page_of(region->bottom());
  const size_t end = FarPages::page_of(region->top() - 1) + 1;
  FarPages::refresh(page, end);
  while (_pages > 0 && (page = FarPages::next_absent(page, end)) < end) {
    const size_t first = page;
    while (_pages > 0 && page < end && FarPages::is_absent(page) &&
           has_dirty_card(FarPages::bottom_of(page), os::vm_page_size())) {
      _pages--;
      page++;
    }
    if (first == page) {
      page++;
    } else if (FarPages::read(first, page)) {
      _asked += page - first;
    }
  }
}

// The iteration continues with the shares of other workers and cannot be stopped, so ignore those
// regions.
bool FarRoots::do_heap_region(HeapRegion* region) {
  if (_regions > 0) {
    _regions--;
    ask_for_marks(region);
    ask_for_cards(region);
  }
  return false;
}

void FarRoots::end(uint worker_id) {
  if (_asked > 0) {
    Atomic::add(&_all_asked, _asked);
    log_debug(gc, far)("Worker %u prefetched " SIZE_FORMAT " pages", worker_id, _asked);
  }
}
