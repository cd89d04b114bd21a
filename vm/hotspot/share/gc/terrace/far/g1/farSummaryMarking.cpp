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
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/farSummarySet.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/g1/farArrays.hpp"
#include "gc/terrace/far/g1/farG1Summaries.hpp"
#include "gc/terrace/far/g1/farReferents.hpp"
#include "gc/terrace/far/g1/farSummaryMarking.hpp"
#include "memory/resourceArea.hpp"
#include "oops/objArrayOop.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"

FarBits           FarSummaryMarking::_targets;
G1ConcurrentMark* FarSummaryMarking::_cm = NULL;

bool FarSummaryMarking::initialize() {
  return FarSummarySet::initialize() && _targets.allocate(FarPages::count()) && FarReferents::initialize();
}

// The scan of root regions has deferred objects before the set was known.
void FarSummaryMarking::reach_if_deferred(size_t page) {
  if (!FarDeferred::take_page(page)) {
    return;
  }
  HeapWord* const top = FarPages::bottom_of(page + 1);
  for (HeapWord* obj = FarDeferred::next(FarPages::bottom_of(page), top); obj < top; obj = FarDeferred::next(obj + MinObjAlignment, top)) {
    FarDeferred::take(obj);
  }
  FarSummarySet::reach(page);
}

void FarSummaryMarking::select_of(HeapRegion* region, BitMap& written) {
  const FarRegionSummaries* const summaries = FarSummaries::of_region(region->hrm_index());
  const bool is_array = FarArrays::is_marked(region, _cm->prev_mark_bitmap());
  if (!region->is_old() && !is_array) {
    return;
  }
  // Objects above the previous top at mark start are new, because the region was freed and used
  // again. A page where an old region's previous top lies is left out, because objects after the
  // top may start on it. After the end of an array, its last region has only filler objects, so the
  // page of the end is included.
  const size_t first = FarPages::page_of(region->bottom());
  const size_t end = FarPages::page_of(region->prev_top_at_mark_start() - (is_array ? 1 : 0)) + (is_array ? 1 : 0);
  if (FarSummarySet::next_candidate(first, end) == end) {
    return;
  }
  written.clear();
  if (!FarWrites::find(first, end, written)) {
    return;
  }
  const G1CMBitMap* const marked = _cm->next_mark_bitmap();
  for (size_t page = FarSummarySet::next_candidate(first, end); page < end; page = FarSummarySet::next_candidate(page + 1, end)) {
    const size_t i = page - first;
    if (!summaries->has(i) || written.at(i) || (summaries->crosses(i) && (page + 1 == end || written.at(i + 1)))) {
      continue;
    }
    // If a pause has already marked and counted objects on the page, the page must be scanned. The
    // same holds if a pause has changed the previous marks, as it does when an evacuation fails.
    // Neither happens on a page of an array after its first, because no object is marked there.
    HeapWord* const top = FarPages::bottom_of(page + 1);
    if ((is_array || marked->get_next_marked_addr(FarPages::bottom_of(page), top) == top) &&
        FarG1Summaries::describes(summaries, region, _cm->prev_mark_bitmap(), page)) {
      FarSummarySet::add(page);
      reach_if_deferred(page);
    }
  }
}

void FarSummaryMarking::begin(G1ConcurrentMark* cm) {
  assert(!FarSummarySet::has_pending() && FarSummarySet::page_count() == 0, "left from an earlier marking");
  _cm = cm;
  ResourceMark rm;
  ResourceBitMap written(HeapRegion::GrainBytes / os::vm_page_size());
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  for (uint i = 0; i < heap->max_regions(); i++) {
    if (FarSummaries::of_region(i) == NULL) {
      continue;
    }
    SuspendibleThreadSetJoiner no_uncommit;
    if (cm->has_aborted()) {
      break;
    }
    HeapRegion* const region = heap->region_at_or_null(i);
    if (region != NULL) {
      select_of(region, written);
    }
  }
}

void FarSummaryMarking::end(bool is_complete) {
  if (FarSummarySet::end(is_complete)) {
    _targets.clear_all();
    FarReferents::end();
  }
}

// Marks all objects that the previous cycle has marked on a page of targets. A worker that finds the
// bit set need not wait, because the other worker completes the page before it offers termination.
void FarSummaryMarking::mark_targets(G1CMTask* task, size_t page) {
  if (_targets.at(page) || !_targets.par_set_bit(page)) {
    return;
  }
  if (FarSummarySet::contains(page)) {
    FarSummarySet::reach(page);
    return;
  }
  const G1CMBitMap* const before = _cm->prev_mark_bitmap();
  HeapWord* const top = FarPages::bottom_of(page + 1);
  for (HeapWord* addr = before->get_next_marked_addr(FarPages::bottom_of(page), top); addr < top;
       addr = before->get_next_marked_addr(addr + MinObjAlignment, top)) {
    task->make_reference_grey(cast_to_oop(addr));
  }
}

void FarSummaryMarking::mark(G1CMTask* task, size_t page, FarCounts& counts) {
  HeapWord* const bottom = FarPages::bottom_of(page);
  HeapWord* const top = FarPages::bottom_of(page + 1);
  HeapRegion* const region = G1CollectedHeap::heap()->heap_region_containing(bottom);
  const u1* const bytes = FarSummaries::of_region(region->hrm_index())->bytes(page - FarPages::page_of(region->bottom()));
  FarSummaryReader summary(bytes, FarPages::bit_of(bottom));

  const G1CMBitMap* const before = _cm->prev_mark_bitmap();
  G1CMBitMap* const now = _cm->next_mark_bitmap();
  HeapWord* const first = before->get_next_marked_addr(bottom, top);
  size_t objects = 0;
  for (HeapWord* addr = first; addr < top; addr = before->get_next_marked_addr(addr + MinObjAlignment, top)) {
    objects += now->par_mark(addr) ? 1 : 0;
  }
  guarantee(objects == summary.objects(), "marked " SIZE_FORMAT " objects on the page at " PTR_FORMAT ", its summary counts " SIZE_FORMAT,
            objects, p2i(bottom), summary.objects());
  if (objects > 0) {                   // no object starts on a page of a humongous array after its first
    task->update_liveness(cast_to_oop(first), summary.words());
  }

  for (ClassLoaderData* loader = summary.next_loader(); loader != NULL; loader = summary.next_loader()) {
    task->make_reference_grey(loader->holder_no_keepalive());
  }
  counts.summarized_pages++;
  counts.summarized_references += summary.references();
  size_t slot;
  size_t target;
  while (summary.next_reference(slot, target)) {
    task->make_reference_grey(cast_to_oop(FarPages::object_at(target)));
  }
  size_t start;
  size_t count;
  size_t parts;
  while (summary.next_pages(start, count, parts)) {
    for (size_t i = 0; i < count; i++) {
      mark_targets(task, start + i);
    }
  }
  if (summary.begin_referents()) {
    counts.referring_pages++;
    FarReferents::add(page);
  }
}

bool FarSummaryMarking::should_stop(G1CMTask* task) {
  return task->has_aborted() || SuspendibleThreadSet::should_yield();
}

void FarSummaryMarking::drain(G1CMTask* task, FarCounts& counts) {
  FarSummarySet::drain([&](size_t page) {
    mark(task, page, counts);
    task->drain_local_queue(true);
    task->drain_global_stack(true);
  }, [=]() { return should_stop(task); });
}

// In other regions, a page also has a summary if a large array ends there. That summary describes
// only the objects that start on the page.
bool FarSummaryMarking::scan(G1CMTask* task, objArrayOop array, MemRegion part) {
  const size_t first = FarPages::page_of(part.start());
  const size_t end = FarPages::page_of(part.last()) + 1;
  size_t page = first;
  while (page < end && !FarSummarySet::contains(page)) {
    page++;
  }
  if (page == end || !G1CollectedHeap::heap()->heap_region_containing(part.start())->is_humongous()) {
    return false;
  }
  FarArrays::divide(first, end, FarSummarySet::contains, FarSummarySet::reach, [=](size_t from, size_t to) {
    task->scan_objArray(array, part.intersection(MemRegion(FarPages::bottom_of(from), FarPages::bottom_of(to))));
  });
  return true;
}
