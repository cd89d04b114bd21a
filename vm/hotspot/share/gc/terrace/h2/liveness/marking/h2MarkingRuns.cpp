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
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.inline.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "memory/allocation.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"

H2MarkingRuns H2MarkingRuns::_current;

// The bit of the run's first word. It is the first bit of a bitmap word, because regions are large.
BitMap::idx_t H2MarkingRuns::first_bit_of(uint head) {
  return H2Marks::bit_of(H2Heap::bottom_of(H2Heap::region(head)));
}

const char* H2MarkingRuns::prepare(uint limit) {
  _limit = limit;
  const char* error = _marks.map(limit);
  if (error != NULL) {
    return error;
  }
  error = _pending.map(limit);
  if (error != NULL) {
    _marks.retire();
    return error;
  }
  _runs = NEW_C_HEAP_ARRAY(Run, _limit, mtGC);
  for (uint i = 0; i < _limit; i++) {
    const Run run = { Idle, EmptySpan, 0 };
    _runs[i] = run;
  }
  _queue = new H2RegionQueue(_limit);
  return NULL;
}

void H2MarkingRuns::release() {
  if (_marks.is_mapped()) {             // not taken by H2LiveMap
    _marks.retire();
  }
  _pending.retire();
  FREE_C_HEAP_ARRAY(Run, _runs);
  _runs = NULL;
  delete _queue;
  _queue = NULL;
}

bool H2MarkingRuns::set_mark(oop obj) {
  return _marks.bits().par_set_bit(H2Marks::bit_of(cast_from_oop<void*>(obj)));
}

void H2MarkingRuns::set_pending(uint head, oop obj) {
  const BitMap::idx_t bit = H2Marks::bit_of(cast_from_oop<void*>(obj));
  _pending.bits().par_set_bit(bit);
  extend_span(head, bit);
}

oop H2MarkingRuns::take_pending(BitMap::idx_t bit) {
  _pending.bits().par_clear_bit(bit);
  return cast_to_oop(H2Marks::object_at(bit));
}

void H2MarkingRuns::mark(oop obj) {
  if (set_mark(obj)) {
    // Because of this order, the worker that claims the run sees the bit and the span.
    const uint head = H2Heap::head_index_of(obj);
    set_pending(head, obj);
    enqueue(head);
  }
}

void H2MarkingRuns::enqueue_if_pending(uint head) {
  if (_runs[head]._span != EmptySpan) {
    enqueue(head);
  }
}

void H2MarkingRuns::give_back(uint head) {
  Atomic::xchg(&_runs[head]._state, (int)Queued);
  _queue->put(head);
}

void H2MarkingRuns::extend_span(uint head, BitMap::idx_t bit) {
  const uint word = (uint)((bit - first_bit_of(head)) / BitsPerWord);
  volatile julong* const span = &_runs[head]._span;
  julong old = Atomic::load(span);
  while (word < low_of(old) || word >= high_of(old)) {
    const julong found = Atomic::cmpxchg(span, old, span_of(MIN2(low_of(old), word), MAX2(high_of(old), word + 1)));
    if (found == old) {
      return;
    }
    old = found;
  }
}

void H2MarkingRuns::enqueue(uint head) {
  volatile int* const state = &_runs[head]._state;
  while (true) {
    const int old = Atomic::load(state);
    if (old == Idle) {
      guarantee(H2Heap::region(head)->is_head(), "reference into free H2 region %u", head);
      if (Atomic::cmpxchg(state, old, (int)Queued) == old) {
        H2Heap::region(head)->set_live(true);
        _queue->put(head);
        return;
      }
    } else if (old != Scanning || Atomic::cmpxchg(state, old, (int)Again) == old) {
      return;
    }
  }
}

bool H2MarkingRuns::claim(uint& index) {
  if (!_queue->take(index)) {
    return false;
  }
  Atomic::xchg(&_runs[index]._state, (int)Scanning);
  return true;
}

void H2MarkingRuns::enqueue_part(uint index) {
  assert(_runs[index]._state == Idle, "reached twice");
  Atomic::store(&_runs[index]._state, (int)Queued);
  _queue->put(index);
}

bool H2MarkingRuns::finish_scan(uint head) {
  volatile int* const state = &_runs[head]._state;
  if (Atomic::cmpxchg(state, (int)Scanning, (int)Idle) == Scanning) {
    return true;
  }
  Atomic::xchg(state, (int)Scanning);
  return false;
}
