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
#include "gc/g1/g1ConcurrentMark.inline.hpp"
#include "gc/g1/g1OopClosures.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/g1/farReferents.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/bitMap.inline.hpp"

FarBits FarReferents::_pages;

bool FarReferents::initialize() {
  return _pages.allocate(FarPages::count());
}

void FarReferents::add(size_t page) {
  _pages.par_set_bit(page);
}

void FarReferents::end() {
  _pages.clear_all();
}

// Whether all objects are marked that the previous cycle has marked on the page.
bool FarReferents::is_target_page_marked(size_t page) {
  HeapWord* const top = FarPages::bottom_of(page + 1);
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  const HeapRegion* const region = heap->region_at_or_null(heap->addr_to_region(FarPages::bottom_of(page)));
  if (region == NULL) {
    return false;
  }
  const G1CMBitMap* const before = heap->concurrent_mark()->prev_mark_bitmap();
  for (HeapWord* addr = before->get_next_marked_addr(FarPages::bottom_of(page), top); addr < top;
       addr = before->get_next_marked_addr(addr + MinObjAlignment, top)) {
    if (heap->is_obj_ill(cast_to_oop(addr), region)) {
      return false;
    }
  }
  return true;
}

bool FarReferents::are_referents_marked(size_t page) {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  HeapWord* const bottom = FarPages::bottom_of(page);
  const HeapRegion* const region = heap->heap_region_containing(bottom);
  FarSummaryReader summary(FarSummaries::of_region(region->hrm_index())->bytes(page - FarPages::page_of(region->bottom())),
                           FarPages::bit_of(bottom));
  while (summary.next_loader() != NULL) {
  }
  size_t slot;
  size_t target;
  size_t start;
  size_t count;
  size_t parts;
  while (summary.next_reference(slot, target)) {
  }
  while (summary.next_pages(start, count, parts)) {
  }
  summary.begin_referents();
  while (summary.next_reference(slot, target)) {
    HeapWord* const referent = FarPages::object_at(target);
    const HeapRegion* const to = heap->region_at_or_null(heap->addr_to_region(referent));
    if (to == NULL || heap->is_obj_ill(cast_to_oop(referent), to)) {
      return false;
    }
  }
  while (summary.next_pages(start, count, parts)) {
    for (size_t i = 0; i < count; i++) {
      if (!is_target_page_marked(start + i)) {
        return false;
      }
    }
  }
  return true;
}

// Marks only increase, so a referent that is marked now would not be discovered later. The program
// may clear a Reference meanwhile, which needs no work either.
bool FarReferents::defers() {
  const size_t count = FarPages::count();
  G1ConcurrentMark* const cm = G1CollectedHeap::heap()->concurrent_mark();
  bool found = false;
  SuspendibleThreadSetJoiner no_uncommit;
  for (size_t page = _pages.get_next_one_offset(0, count); page < count; page = _pages.get_next_one_offset(page + 1, count)) {
    no_uncommit.yield();
    if (cm->has_aborted()) {
      return false;
    }
    _pages.clear_bit(page);
    if (!are_referents_marked(page)) {
      HeapWord* const bottom = FarPages::bottom_of(page);
      FarDeferred::add(cm->next_mark_bitmap()->get_next_marked_addr(bottom, FarPages::bottom_of(page + 1)));
      found = true;
    }
  }
  return found;
}

void FarReferents::scan(G1CMTask* task, size_t page) {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  G1CMOopClosure closure(heap, task);
  const G1CMBitMap* const marked = heap->concurrent_mark()->next_mark_bitmap();
  HeapWord* const top = FarPages::bottom_of(page + 1);
  for (HeapWord* addr = marked->get_next_marked_addr(FarPages::bottom_of(page), top); addr < top;
       addr = marked->get_next_marked_addr(addr + MinObjAlignment, top)) {
    const oop obj = cast_to_oop(addr);
    if (obj->klass()->id() == InstanceRefKlassID) {
      obj->oop_iterate(&closure);
    }
  }
}
