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
#include "classfile/classLoaderData.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/shenandoah/shenandoahHeap.inline.hpp"
#include "gc/shenandoah/shenandoahHeapRegion.inline.hpp"
#include "gc/shenandoah/shenandoahMark.inline.hpp"
#include "gc/shenandoah/shenandoahMarkingContext.inline.hpp"
#include "gc/shenandoah/shenandoahOopClosures.inline.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/farSummarySet.hpp"
#include "gc/terrace/far/farSweep.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahSummaries.hpp"
#include "memory/resourceArea.hpp"
#include "utilities/bitMap.inline.hpp"

FarSweep* FarShenandoahSummaries::_sweep = NULL;
bool      FarShenandoahSummaries::_has_cycle = false;

bool FarShenandoahSummaries::initialize() {
  const ShenandoahHeap* const heap = ShenandoahHeap::heap();
  return FarSummarySet::initialize() &&
         FarSummaries::initialize((uint)heap->num_regions(), ShenandoahHeapRegion::region_size_bytes() / os::vm_page_size(),
                                  heap->max_capacity());
}

void FarShenandoahSummaries::select_of(ShenandoahHeapRegion* region, BitMap& written) {
  const FarRegionSummaries* const summaries = FarSummaries::of_region((uint)region->index());
  const size_t first = FarPages::page_of(region->bottom());
  // New objects may start on the page of the top.
  const size_t end = FarPages::page_of(ShenandoahHeap::heap()->marking_context()->top_at_mark_start(region));
  if (FarSummarySet::next_candidate(first, end) == end) {
    return;
  }
  written.clear();
  if (!FarWrites::find(first, end, written)) {
    return;
  }
  for (size_t page = FarSummarySet::next_candidate(first, end); page < end; page = FarSummarySet::next_candidate(page + 1, end)) {
    const size_t i = page - first;
    if (summaries->has(i) && !written.at(i) && (!summaries->crosses(i) || (page + 1 < end && !written.at(i + 1)))) {
      FarSummarySet::add(page);
    }
  }
}

void FarShenandoahSummaries::begin_marking(bool may_select) {
  assert(!FarSummarySet::has_pending() && FarSummarySet::page_count() == 0, "left from an earlier marking");
  FarSummaries::begin_cycle();
  _has_cycle = true;
  if (!may_select || !FarSummaries::is_taking()) {
    return;
  }
  ShenandoahHeap* const heap = ShenandoahHeap::heap();
  ResourceMark rm;
  ResourceBitMap written(ShenandoahHeapRegion::region_size_bytes() / os::vm_page_size());
  for (size_t i = 0; i < heap->num_regions() && !heap->cancelled_gc(); i++) {
    ShenandoahHeapRegion* const region = heap->get_region(i);
    if (FarSummaries::of_region((uint)i) != NULL && region->is_active() && !region->is_humongous()) {
      select_of(region, written);
    }
  }
}

void FarShenandoahSummaries::drop_all() {
  if (_sweep != NULL) {
    FarSummarySet::end(false);
    FarSummaries::drop_all();
  }
}

void FarShenandoahSummaries::drop(const ShenandoahHeapRegion* region) {
  if (_sweep != NULL) {
    FarSummaries::unlink((uint)region->index());
  }
}

bool FarShenandoahSummaries::describes(const FarRegionSummaries* summaries, const ShenandoahHeapRegion* region, size_t page) {
  const ShenandoahMarkingContext* const context = ShenandoahHeap::heap()->complete_marking_context();
  HeapWord* const top = FarPages::bottom_of(page + 1);
  size_t count = 0;
  for (HeapWord* addr = context->get_next_marked_addr(FarPages::bottom_of(page), top); addr < top;
       addr = context->get_next_marked_addr(addr + MinObjAlignment, top)) {
    count++;
  }
  return FarSummaryReader(summaries->bytes(page - FarPages::page_of(region->bottom())), 0).objects() == count;
}

// The marked objects of an unwritten page are among those of its summary. So if there are as many, they are the same. Returns
// the number of summaries that remain.
size_t FarShenandoahSummaries::drop_dead(ShenandoahHeapRegion* region, FarRegionSummaries* summaries) {
  const size_t first = FarPages::page_of(region->bottom());
  const size_t end = FarPages::page_of(ShenandoahHeap::heap()->complete_marking_context()->top_at_mark_start(region));
  const size_t limit = FarPages::page_of(region->end());
  size_t kept = 0;
  for (size_t page = first; page < limit; page++) {
    if (summaries->has(page - first)) {
      if (page < end && describes(summaries, region, page)) {
        kept++;
      } else {
        summaries->drop(page - first);
      }
    }
  }
  return kept;
}

// The update of references has read some regions, or none. Their new tables describe what is alive.
void FarShenandoahSummaries::end_cycle(bool is_complete, bool is_cancelled) {
  const bool was_concurrent = _has_cycle;
  if (was_concurrent && is_cancelled) {
    return;                            // a degenerated collection may continue the marking
  }
  _has_cycle = false;
  if (!was_concurrent || !is_complete || !FarSummaries::is_taking()) {
    drop_all();
    FarSummaries::end_cycle(false);
    return;
  }
  FarSummarySet::end(true);
  ShenandoahHeap* const heap = ShenandoahHeap::heap();
  // After an allocation failure, the program waits for a pause, which drops all summaries.
  for (size_t i = 0; i < heap->num_regions() && !heap->cancelled_gc(); i++) {
    FarRegionSummaries* const summaries = FarSummaries::of_region((uint)i);
    ShenandoahHeapRegion* const region = heap->get_region(i);
    if (summaries != NULL && region->is_active() && !region->is_humongous() && !FarSummaries::is_new(summaries)) {
      FarSummaries::keep_table(summaries, drop_dead(region, summaries));
    }
  }
  FarSummaries::end_cycle(true);
  FarPages::refresh(0, FarPages::count());
  FarSummarySet::note_absent();
}

void FarShenandoahSummaries::mark(size_t page, uint worker_id, FarCounts& counts) {
  ShenandoahHeap* const heap = ShenandoahHeap::heap();
  ShenandoahMarkingContext* const context = heap->marking_context();
  ShenandoahObjToScanQueue* const queue = context->task_queues()->queue(worker_id);
  HeapWord* const bottom = FarPages::bottom_of(page);
  ShenandoahHeapRegion* const region = heap->heap_region_containing(bottom);
  const u1* const bytes = FarSummaries::of_region((uint)region->index())->bytes(page - FarPages::page_of(region->bottom()));
  FarSummaryReader summary(bytes, FarPages::bit_of(bottom));

  for (ClassLoaderData* loader = summary.next_loader(); loader != NULL; loader = summary.next_loader()) {
    oop holder = loader->holder_no_keepalive();
    ShenandoahMark::mark_through_ref(&holder, queue, context, false);
  }
  // Objects that are marked have a task, or had one. It does nothing, because the page is in the set.
  size_t start;
  while (summary.next_start(start)) {
    bool was_upgraded = false;
    context->mark_strong(cast_to_oop(FarPages::object_at(start)), was_upgraded);
  }
  region->increase_live_data_gc_words(summary.words());
  counts.summarized_pages++;
  counts.summarized_references += summary.references();
  size_t slot;
  size_t target;
  while (summary.next_reference(slot, target)) {
    oop obj = cast_to_oop(FarPages::object_at(target));
    ShenandoahMark::mark_through_ref(&obj, queue, context, false);
  }
}

bool FarShenandoahSummaries::is_stopped(bool is_concurrent) {
  return is_concurrent && (ShenandoahHeap::heap()->cancelled_gc() ||
                           (ShenandoahSuspendibleWorkers && SuspendibleThreadSet::should_yield()));
}

// The references that were found are tasks in the worker's queue.
void FarShenandoahSummaries::drain(uint worker_id, bool is_concurrent) {
  if (is_concurrent && _sweep->is_held_back()) {
    return;
  }
  FarCounts& counts = _sweep->counts_of(worker_id);
  int rest = PagesPerDrain;
  FarSummarySet::drain([&](size_t page) { mark(page, worker_id, counts); }, [&]() { return rest-- == 0 || is_stopped(is_concurrent); });
}
