/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHEVACUATION_INLINE_HPP
#define SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHEVACUATION_INLINE_HPP

#include "gc/terrace/far/shenandoah/farShenandoahEvacuation.hpp"

#if INCLUDE_TERRACE

#include "gc/shenandoah/shenandoahHeap.inline.hpp"
#include "gc/shenandoah/shenandoahHeapRegion.inline.hpp"
#include "gc/shenandoah/shenandoahMarkingContext.inline.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahUpdate.hpp"
#include "oops/oop.inline.hpp"

// Like ShenandoahHeap::marked_object_iterate, by parts of the region.
template <class Closure>
void FarShenandoahEvacuation::visit(ShenandoahHeapRegion* region, Closure* closure, HeapWord* limit, FarShenandoahUpdate* update) {
  const ShenandoahMarkingContext* const context = ShenandoahHeap::heap()->complete_marking_context();
  HeapWord* const tams = context->top_at_mark_start(region);
  HeapWord* unmarked = tams;           // all objects from here on are live, and are found by their size
  for (HeapWord* from = region->bottom(); from < limit; ) {
    HeapWord* const to = ask_ahead(region, from, limit, update);
    HeapWord* const end = MIN2(to, tams);
    HeapWord* addr = from;
    while (addr < end && (addr = context->get_next_marked_addr(addr, end)) < end) {
      if (update != NULL && update->leaves_out(addr)) {
        addr = FarPages::bottom_of(FarPages::page_of(addr) + 1);
      } else {
        closure->do_object(cast_to_oop(addr));
        addr++;
      }
    }
    while (unmarked < to) {
      const oop obj = cast_to_oop(unmarked);
      unmarked += obj->size();
      closure->do_object(obj);
    }
    if (update != NULL) {
      update->end_part(from, to);
    }
    end_part(from, to, update != NULL);
    from = to;
  }
}

// Visits the slices of a humongous object in a region.
template <class Closure>
void FarShenandoahEvacuation::visit_slices(ShenandoahHeapRegion* region, Closure* closure, HeapWord* limit) {
  for (HeapWord* from = region->bottom(); from < limit; ) {
    HeapWord* const to = ask_ahead(region, from, limit, NULL);
    ShenandoahObjectToOopBoundedClosure<Closure> objects(closure, from, to);
    ShenandoahHeap::heap()->marked_object_iterate(region->humongous_start_region(), &objects);
    end_part(from, to, true);
    from = to;
  }
}

template <class Closure>
bool FarShenandoahEvacuation::iterates(ShenandoahHeapRegion* region, Closure* objects, HeapWord* limit) {
  if (!_is_active) {
    return false;
  }
  assert(!region->is_humongous(), "humongous regions are not evacuated");
  visit(region, objects, limit, NULL);
  return true;
}

template <class Closure>
bool FarShenandoahEvacuation::updates(ShenandoahHeapRegion* region, Closure* references, HeapWord* limit) {
  if (!_is_active && !FarSummaries::is_taking()) {
    return false;
  }
  if (!region->is_humongous()) {
    ShenandoahObjectToOopClosure<Closure> objects(references);
    FarShenandoahUpdate update(region, limit);
    visit(region, &objects, limit, &update);
  } else if (limit > region->bottom()) {
    if (!cast_to_oop(region->humongous_start_region()->bottom())->is_objArray()) {
      return false;                    // without references outside of its header's page
    }
    visit_slices(region, references, limit);
  }
  return true;
}

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHEVACUATION_INLINE_HPP
