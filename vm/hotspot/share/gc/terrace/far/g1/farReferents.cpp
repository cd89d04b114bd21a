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
#include "gc/terrace/far/farSummarySet.hpp"
#include "gc/terrace/far/g1/farReferents.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "utilities/align.hpp"
#include "utilities/bitMap.inline.hpp"

FarBits FarReferents::_pages;
uint    FarReferents::_rounds = 0;
volatile size_t FarReferents::_asked_ahead = 0;
volatile size_t FarReferents::_requests_ahead = 0;

bool FarReferents::initialize() {
  return _pages.allocate(FarPages::count());
}

void FarReferents::add(size_t page) {
  if (_rounds < MostRounds) {
    _pages.par_set_bit(page);
  } else if (!are_referents_marked(page)) {
    defer(page);
  }
}

void FarReferents::end() {
  if (_rounds > 0) {
    log_debug(gc, far)("Referents were not marked in %u rounds; prefetched " SIZE_FORMAT " pages ahead in " SIZE_FORMAT " requests",
                       _rounds, _asked_ahead, _requests_ahead);
  }
  _pages.clear_all();
  _rounds = 0;
  _asked_ahead = 0;
  _requests_ahead = 0;
}

void FarReferents::defer(size_t page) {
  const G1CMBitMap* const marked = G1CollectedHeap::heap()->concurrent_mark()->next_mark_bitmap();
  FarDeferred::add(marked->get_next_marked_addr(FarPages::bottom_of(page), FarPages::bottom_of(page + 1)));
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

// Finds a page that has an unmarked referent of References on this page and that is wanted. Returns the
// number of pages of the heap if there is none.
template <typename Filter>
size_t FarReferents::find_unmarked(size_t page, Filter is_wanted) {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  HeapWord* const bottom = FarPages::bottom_of(page);
  const HeapRegion* const region = heap->heap_region_containing(bottom);
  FarSummaryReader summary(FarSummaries::of_region(region->hrm_index())->bytes(page - FarPages::page_of(region->bottom())),
                           FarPages::bit_of(bottom));
  summary.skip_to_references();
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
    if ((to == NULL || heap->is_obj_ill(cast_to_oop(referent), to)) && is_wanted(FarPages::page_of(referent))) {
      return FarPages::page_of(referent);
    }
  }
  while (summary.next_pages(start, count, parts)) {
    for (size_t i = 0; i < count; i++) {
      if (!is_target_page_marked(start + i) && is_wanted(start + i)) {
        return start + i;
      }
    }
  }
  return FarPages::count();
}

bool FarReferents::are_referents_marked(size_t page) {
  return find_unmarked(page, [](size_t of_referent) { return true; }) == FarPages::count();
}

// Whether the page will be marked from its summary if it is reached, and has References.
bool FarReferents::is_next_link(size_t page) {
  if (!FarSummarySet::contains(page) || !FarPages::is_absent(page)) {
    return false;
  }
  HeapWord* const bottom = FarPages::bottom_of(page);
  const HeapRegion* const region = G1CollectedHeap::heap()->heap_region_containing(bottom);
  const u1* const bytes = FarSummaries::of_region(region->hrm_index())->bytes(page - FarPages::page_of(region->bottom()));
  return FarSummaryReader(bytes, FarPages::bit_of(bottom)).has_referents();
}

// Pages of the requests count as present, so this ends where an earlier call ended, and then goes on. A pause does not wait for it.
size_t FarReferents::ask_ahead(size_t page, size_t most) {
  size_t asked = 0;
  for (size_t i = 0; i < most && !SuspendibleThreadSet::should_yield(); i++) {
    page = find_unmarked(page, is_next_link);
    if (page == FarPages::count()) {
      break;
    }
    FarPageSet link;
    link.reset(align_down(page, FarPages::ChunkPages));
    link.add(page);
    size_t refused = 0;
    asked += FarPages::ask_for(link, page + 1, refused);
  }
  if (asked > 0) {
    Atomic::add(&_asked_ahead, asked);
    Atomic::inc(&_requests_ahead);
  }
  return asked;
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
      defer(page);
      found = true;
    }
  }
  _rounds += found ? 1 : 0;
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
