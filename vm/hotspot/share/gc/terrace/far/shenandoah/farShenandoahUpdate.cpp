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
#include "gc/shenandoah/shenandoahHeap.inline.hpp"
#include "gc/shenandoah/shenandoahHeapRegion.inline.hpp"
#include "gc/shenandoah/shenandoahMarkingContext.inline.hpp"
#include "gc/terrace/far/farPageClosure.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahSummaries.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahUpdate.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/bitMap.inline.hpp"

// Adds the objects that start on a page to its summary.
class FarShenandoahSummaryClosure : public FarPageClosure {
  const ShenandoahHeap* const _heap;

  template <class T> void do_oop_work(T* p) {
    add_slot(p);
    const oop obj = RawAccess<MO_RELAXED>::oop_load(p);
    if (obj != NULL && leaves_page(obj)) {
      if (_heap->in_collection_set(obj)) {
        summary().refuse();
      }
      add_reference(p, obj);
    }
  }

 public:
  FarShenandoahSummaryClosure(size_t page) : _heap(ShenandoahHeap::heap()) { begin(page); }

  virtual void do_oop(oop* p)       { do_oop_work(p); }
  virtual void do_oop(narrowOop* p) { do_oop_work(p); }

  // Returns the size of the object.
  size_t do_object(oop obj) {
    const size_t words = obj->size();
    if (summary().is_refused()) {
      return words;
    }
    Klass* const klass = obj->klass();
    HeapWord* const end = cast_from_oop<HeapWord*>(obj) + words;
    // Objects of the other classes with an id of their own keep metadata alive, or are java.lang.ref.Reference objects, which
    // marking must discover. Objects with finalizers release resources, which must not wait for the other objects of the page.
    // A large array of references has slots on later pages.
    if ((klass->is_instance_klass() && (klass->id() != InstanceKlassID || klass->has_finalizer())) ||
        (obj->is_objArray() && end > FarPages::bottom_of(page() + 2))) {
      summary().refuse();
      return words;
    }
    add_object(klass, words);
    summary().add_start(FarPages::bit_of(cast_from_oop<void*>(obj)));
    obj->oop_iterate(this);
    return words;
  }
};

// Regions that are pinned or humongous have no summaries, and neither does a degenerated collection create or use them.
static bool may_summarize(const ShenandoahHeapRegion* region, HeapWord* limit) {
  return FarSummaries::is_taking() && region->is_regular() && limit > region->bottom() &&
         !ShenandoahHeap::heap()->is_degenerated_gc_in_progress();
}

FarShenandoahUpdate::FarShenandoahUpdate(ShenandoahHeapRegion* region, HeapWord* limit) :
  _region(region), _limit(limit), _is_on(may_summarize(region, limit)), _first(FarPages::page_of(region->bottom())),
  _before(_is_on ? FarSummaries::of_region((uint)region->index()) : NULL),
  _left_out(_is_on ? FarPages::page_of(region->end()) - _first : 0), _written(_left_out.size()), _watched(_left_out.size()),
  _next(_first), _unmarked(ShenandoahHeap::heap()->complete_marking_context()->top_at_mark_start(region)) {
  if (!_is_on) {
    return;
  }
  FarSummaries::begin_region((uint)region->index());
  const size_t end = FarPages::page_of(MIN2(limit, _unmarked));
  if (_before != NULL && FarWrites::find(_first, end, _written)) {
    for (size_t page = _first; page < end; page++) {
      if (_before->has(page - _first) && may_leave_out(page, end)) {
        _left_out.set_bit(page - _first);
      }
    }
  }
  _written.clear();
}

// end: the first page that may have objects without a mark.
bool FarShenandoahUpdate::may_leave_out(size_t page, size_t end) const {
  const size_t i = page - _first;
  if (_written.at(i) || (_before->crosses(i) && (page + 1 == end || _written.at(i + 1))) ||
      !FarShenandoahSummaries::describes(_before, _region, page)) {
    return false;
  }
  FarSummaryReader summary(_before->bytes(i), FarPages::bit_of(FarPages::bottom_of(page)));
  summary.skip_to_references();
  const ShenandoahHeap* const heap = ShenandoahHeap::heap();
  size_t slot;
  size_t target;
  while (summary.next_reference(slot, target)) {
    if (heap->in_collection_set_loc(FarPages::object_at(target))) {
      return false;
    }
  }
  return true;
}

bool FarShenandoahUpdate::leaves_out(const void* p) const {
  return _is_on && _left_out.at(FarPages::page_of(p) - _first);
}

// Reads the page again, and compares with its summary. Called if the page was not written until it was last watched.
void FarShenandoahUpdate::verify(size_t page, const u1* bytes, size_t size) const {
  HeapWord* const top = FarPages::bottom_of(page + 1);
  const ShenandoahMarkingContext* const context = ShenandoahHeap::heap()->complete_marking_context();
  FarShenandoahSummaryClosure objects(page);
  for (HeapWord* addr = FarPages::bottom_of(page); addr < top && (addr = context->get_next_marked_addr(addr, top)) < top; addr++) {
    objects.do_object(cast_to_oop(addr));
  }
  size_t read_size = 0;
  FarRegionSummaries read(1, 0);
  const bool is_same = !objects.summary().is_refused() && read.add(0, objects.summary(), SIZE_MAX, read_size) && read_size == size &&
                       (read.complete(), memcmp(read.bytes(0), bytes, size) == 0);
  ResourceMark rm;
  ResourceBitMap written(2);
  const size_t count = _before->crosses(page - _first) ? 2 : 1;
  guarantee(is_same || !FarWrites::find(page, page + count, written) || !written.is_empty(),
            "the page at " PTR_FORMAT " is not what its summary describes", p2i(FarPages::bottom_of(page)));
}

void FarShenandoahUpdate::keep(size_t page) {
  const size_t i = page - _first;
  // The update of an object that crosses from the page before, or the program, may have written to the page since the check.
  if (!_watched.at(i) || _written.at(i) || (_before->crosses(i) && (!_watched.at(i + 1) || _written.at(i + 1)))) {
    return;
  }
  const u1* const bytes = _before->bytes(i);
  FarSummaryReader summary(bytes, FarPages::bit_of(FarPages::bottom_of(page)));
  summary.skip_to_references();
  size_t slot;
  size_t target;
  while (summary.next_reference(slot, target)) {
  }
  if (VerifyFarMemory) {
    verify(page, bytes, (size_t)(summary.end() - bytes));
  }
  FarSummaries::keep((uint)_region->index(), i, bytes, summary.end(), _before->crosses(i));
}

void FarShenandoahUpdate::summarize(size_t page) {
  const size_t i = page - _first;
  const ShenandoahMarkingContext* const context = ShenandoahHeap::heap()->complete_marking_context();
  HeapWord* const bottom = FarPages::bottom_of(page);
  HeapWord* const top = FarPages::bottom_of(page + 1);
  HeapWord* const end = MIN2(top, context->top_at_mark_start(_region));
  FarShenandoahSummaryClosure objects(page);
  FarPageSummary& summary = objects.summary();
  if (!_watched.at(i) || top > _limit) {
    summary.refuse();                  // objects above the limit are new
  }
  for (HeapWord* addr = bottom; addr < end && (addr = context->get_next_marked_addr(addr, end)) < end; addr++) {
    objects.do_object(cast_to_oop(addr));
  }
  while (_unmarked < MIN2(top, _limit)) {
    _unmarked += objects.do_object(cast_to_oop(_unmarked));
  }
  if (summary.crosses() && (i + 1 == _watched.size() || !_watched.at(i + 1))) {
    summary.refuse();
  }
  if (summary.is_refused()) {
    FarSummaries::count_refused();
  } else if (summary.objects() > 0) {
    FarSummaries::add((uint)_region->index(), i, summary, NULL);
  }
}

void FarShenandoahUpdate::end_part(HeapWord* from, HeapWord* to) {
  if (!_is_on) {
    return;
  }
  const size_t first = FarPages::page_of(from);
  const size_t end = FarPages::page_of(to - 1) + 1;
  ResourceMark rm;
  ResourceBitMap written(end - first);
  if (FarWrites::watch(first, end, written)) {
    _watched.set_range(first - _first, end - _first);
    for (size_t page = first; page < end; page++) {
      if (written.at(page - first)) {
        _written.set_bit(page - _first);
      }
    }
  }
  const size_t limit = to == _limit ? end : end - 1;
  for (; _next < limit; _next++) {
    if (_left_out.at(_next - _first)) {
      keep(_next);
    } else {
      summarize(_next);
    }
  }
}

FarShenandoahUpdate::~FarShenandoahUpdate() {
  if (_is_on) {
    FarSummaries::end_region((uint)_region->index());
  }
}
