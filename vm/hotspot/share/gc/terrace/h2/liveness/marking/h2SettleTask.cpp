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
#include "gc/shared/collectedHeap.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "gc/terrace/h2/liveness/marking/h2SettleTask.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"

static void fill(HeapWord* start, HeapWord* end) {
  CollectedHeap::fill_with_objects(start, pointer_delta(end, start), false);
  size_t size;
  for (HeapWord* p = start; p < end; p += size) {
    size = cast_to_oop(p)->size();
    H2StartTable::of_h2().record(p, size);
  }
}

// Returns the number of filled words.
static size_t fill_garbage(H2Region* r) {
  size_t filled = 0;
  HeapWord* gap = H2Heap::bottom_of(r);
  const auto end_gap = [&](HeapWord* end) {
    if (gap < end) {
      fill(gap, end);
      filled += pointer_delta(end, gap);
    }
  };
  H2LiveMap::of_h2().marks().marked_do(MemRegion(gap, r->top()), [&](HeapWord* p, size_t size) {
    end_gap(p);
    gap = p + size;
  });
  end_gap(r->top());
  return filled;
}

void H2SettleTask::settle(H2Region* r, size_t reachable) {
  const size_t used = pointer_delta(r->top(), H2Heap::bottom_of(r));
  const bool   has_all = r->has_all_class_loaders_of_before();
  r->set_garbage_words(used - reachable);
  r->set_marked_top(has_all && reachable < used ? r->top() : NULL);
  Atomic::add(&_garbage_words, used - reachable);
  if (!has_all && reachable < used) {
    Atomic::add(&_filled_words, fill_garbage(r));
  }
}

void H2SettleTask::work(uint worker_id) {
  uint index;
  while ((index = Atomic::fetch_and_add(&_claimed, 1u)) < _runs.limit()) {
    H2Region* const r = H2Heap::region(index);
    const size_t reachable = _runs.reachable_words(index);
    if (!r->is_head() || reachable == 0) {
      continue;                       // not in use, or opened after marking
    }
    Atomic::add(&_reachable_words, reachable);
    if (!r->is_evacuated()) {
      settle(r, reachable);
    }
  }
}
