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
#include "gc/shenandoah/heuristics/shenandoahHeuristics.hpp"
#include "gc/shenandoah/shenandoahHeap.inline.hpp"
#include "gc/shenandoah/shenandoahHeapRegion.inline.hpp"
#include "gc/shenandoah/shenandoahMarkingContext.inline.hpp"
#include "gc/shenandoah/shenandoahUtils.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farRequests.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSweep.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahEvacuation.inline.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"
#include "utilities/ostream.hpp"

FarSweep*     FarShenandoahEvacuation::_sweep = NULL;
volatile bool FarShenandoahEvacuation::_is_active = false;
volatile bool FarShenandoahEvacuation::_is_swapped = false;
bool          FarShenandoahEvacuation::_is_postponed = false;
bool          FarShenandoahEvacuation::_was_active = false;
bool          FarShenandoahEvacuation::_was_postponed = false;
bool          FarShenandoahEvacuation::_was_cancelled = false;
size_t        FarShenandoahEvacuation::_allocated = 0;
size_t        FarShenandoahEvacuation::_absent = 0;
size_t        FarShenandoahEvacuation::_postponed = 0;
size_t        FarShenandoahEvacuation::_decisions = 0;
volatile size_t FarShenandoahEvacuation::_released = 0;

HeapWord* FarShenandoahEvacuation::ask_ahead(ShenandoahHeapRegion* region, HeapWord* from, HeapWord* limit,
                                             const FarShenandoahUpdate* update) {
  const uint worker_id = ShenandoahWorkerSession::worker_id();
  const ShenandoahMarkingContext* const context = ShenandoahHeap::heap()->complete_marking_context();
  HeapWord* const tams = context->top_at_mark_start(region);
  const size_t first = FarPages::page_of(from);
  size_t end = MIN2(align_down(first, FarPages::ChunkPages) + FarPages::ChunkPages, FarPages::page_of(limit - 1) + 1);
  FarPages::refresh(first, end);
  FarRequests& requests = _sweep->requests_of(worker_id);
  FarRequest request(requests.size());
  FarPageSet wanted;
  wanted.reset(align_down(first, FarPages::ChunkPages));
  for (size_t page = FarPages::next_absent(first, end); page < end; page = FarPages::next_absent(page + 1, end)) {
    HeapWord* const bottom = FarPages::bottom_of(page);
    HeapWord* const top = FarPages::bottom_of(page + 1);
    // A humongous object has one mark, at its first word.
    if (region->is_humongous() || top > tams ||
        (context->get_next_marked_addr(bottom, top) < top && (update == NULL || !update->leaves_out(bottom)))) {
      if (!request.add(page)) {
        end = page;
        break;
      }
      wanted.add(page);
    }
  }
  FarStatistics::add_rebuild(requests.ask_for(wanted, end), 0);
  return MIN2(limit, FarPages::bottom_of(end));
}

void FarShenandoahEvacuation::end_part(HeapWord* from, HeapWord* to, bool gives_back) {
  _sweep->end_request(ShenandoahWorkerSession::worker_id());
  const size_t first = FarPages::page_of(from);
  const size_t end = FarPages::page_of(to - 1) + 1;
  if (gives_back) {
    FarStatistics::add_rebuild(0, FarPages::give_back(first, end));
  } else {
    FarPages::keep(first, end);
  }
}

size_t FarShenandoahEvacuation::reserve() {
  return ShenandoahHeap::heap()->soft_max_capacity() / 100 * (ShenandoahMinFreeThreshold + ShenandoahEvacReserve);
}

// The garbage in bytes of the regions that the heuristics prefer for the collection set.
size_t FarShenandoahEvacuation::collectable() {
  const ShenandoahHeap* const heap = ShenandoahHeap::heap();
  const size_t threshold = ShenandoahHeapRegion::region_size_bytes() * ShenandoahGarbageThreshold / 100;
  size_t sum = 0;
  for (size_t i = 0; i < heap->num_regions(); i++) {
    const ShenandoahHeapRegion* const region = heap->get_region(i);
    if (region->is_regular() && region->garbage() > threshold) {
      sum += region->garbage();
    }
  }
  return sum;
}

bool FarShenandoahEvacuation::decide(size_t free) {
  ShenandoahHeap* const heap = ShenandoahHeap::heap();
  if (heap->is_degenerated_gc_in_progress() || heap->is_full_gc_in_progress() || heap->heuristics()->is_diagnostic()) {
    return false;
  }
  if (FarSummaries::is_taking() && !FarSummaries::was_read()) {
    return false;
  }
  const size_t garbage = collectable();
  const size_t avail = available(free, heap->max_capacity(), heap->soft_max_capacity());
  const size_t needs = reserve() + MarkingsToPostpone * _allocated;
  // Torture exercises both decisions.
  _is_postponed = FarMemoryTorture != 0 ? ++_decisions % 2 == 0 : postpones(avail, needs, _absent * os::vm_page_size(), garbage);
  if (_is_postponed) {
    _postponed++;
    log_info(gc, far)("Evacuation is postponed: " SIZE_FORMAT " pages absent, " SIZE_FORMAT "K garbage in fragmented regions; " SIZE_FORMAT
                      "M available, " SIZE_FORMAT "M needed", _absent, garbage / K, avail / M, needs / M);
  }
  return _is_postponed;
}

void FarShenandoahEvacuation::release(ShenandoahHeapRegion* region) {
  if (FarPages::free(FarPages::page_of(region->bottom()), FarPages::page_of(region->end()))) {
    Atomic::inc(&_released);
  }
}

void FarShenandoahEvacuation::adapt(bool is_swapped) {
  _is_swapped = is_swapped;
}

void FarShenandoahEvacuation::print_on(outputStream* out) {
  out->print_cr("Evacuation was postponed in " SIZE_FORMAT " cycles; the memory of " SIZE_FORMAT " empty regions was released",
                _postponed, _released);
}

void FarShenandoahEvacuation::begin(bool is_active, size_t absent) {
  _is_active = is_active || FarPages::is_process_swapped();
  _allocated = ShenandoahHeap::heap()->bytes_allocated_since_gc_start();
  // Counting takes milliseconds for a terabyte, so the pause does not do it.
  _absent = _is_active ? MAX2(absent, FarPages::absent_count()) : absent;
}

void FarShenandoahEvacuation::end_cycle() {
  if (_sweep == NULL) {
    return;
  }
  ShenandoahHeap* const heap = ShenandoahHeap::heap();
  const bool is_cancelled = heap->cancelled_gc();
  FarShenandoahSummaries::end_cycle(!_was_cancelled, is_cancelled);
  if (_is_active && !_was_cancelled) {
    FarStatistics::end_rebuild();
    FarStatistics::set_requests(_sweep->requests(), _sweep->most_asked());
    FarStatistics::end_cycle();
  }
  _was_active = _is_active && !is_cancelled && !_was_cancelled;
  _was_postponed = _was_active && _is_postponed;
  _is_postponed = false;
  _is_active = _is_active && is_cancelled;           // a degenerated collection continues
  _was_cancelled = is_cancelled;
}
