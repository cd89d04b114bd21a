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
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/collector/h1Marks.inline.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectClosure.inline.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectUnhintedTask.hpp"
#include "runtime/atomic.hpp"

H2SelectUnhintedTask::H2SelectUnhintedTask(H2Selection& selection, uint worker_count, H2Unhinted::Kind kind, uint group) :
  H2SelectTask(selection, worker_count, true, H2Unhinted::of_h2().end_of(kind)),
  _kind(kind), _group(group),
  _min_words(kind == H2Unhinted::LargeArrays ? H2Unhinted::LargeWords : H2Unhinted::SmallestWords),
  _bottom(bottom()), _end(H2Unhinted::of_h2().end_of(kind)),
  _first(MIN2(chunk_of(H2Unhinted::of_h2().cursor(kind)), chunks_until(_end))),
  _chunk_count(MIN2(kind == H2Unhinted::Structures ? chunks_until(_end) : chunks_until(_end) - _first, max_chunks())),
  _total_count(chunks_until(_end)), _claimed(0), _left_out(SIZE_MAX) {}

HeapWord* H2SelectUnhintedTask::bottom() {
  return H1Heap::old_space().bottom;
}

size_t H2SelectUnhintedTask::chunks_until(const HeapWord* p) {
  return p > bottom() ? align_up(pointer_delta(p, bottom()), ChunkWords) / ChunkWords : 0;
}

size_t H2SelectUnhintedTask::chunk_of(const HeapWord* p) {
  return p > bottom() ? pointer_delta(p, bottom()) / ChunkWords : 0;
}

size_t H2SelectUnhintedTask::max_chunks() const {
  return _selection.is_in_parts() ? MAX2(_selection.part_words() / ChunkWords, (size_t)1) * LookedAtPerPart : SIZE_MAX;
}

bool H2SelectUnhintedTask::is_enough() const {
  return _selection.words() + H2Unhinted::EnoughWords >= _selection.limit_words();
}

inline bool H2SelectUnhintedTask::is_wanted(oop obj) const {
  return _kind == H2Unhinted::Structures || (obj->is_typeArray() && (size_t)obj->size() >= _min_words);
}

// Returns false if an object was left out.
bool H2SelectUnhintedTask::select_in(H2SelectClosure& cl, HeapWord* begin, HeapWord* end) {
  bool all = true;
  for (HeapWord* p = begin; p < end && (p = H1Marks::next_start(p, end)) < end; p += MinObjAlignment) {
    oop obj = cast_to_oop(p);
    if (is_wanted(obj) && !cl.add_unhinted(obj, _group)) {
      all = false;
    }
  }
  return all;
}

void H2SelectUnhintedTask::select(H2SelectClosure& cl) {
  size_t i;
  while (!is_enough() && (i = Atomic::fetch_and_add(&_claimed, (size_t)1)) < _chunk_count) {
    HeapWord* const begin = _bottom + (_first + i) % _total_count * ChunkWords;
    if (!select_in(cl, begin, MIN2(begin + ChunkWords, _end))) {
      size_t before = Atomic::load(&_left_out);
      while (i < before) {
        before = Atomic::cmpxchg(&_left_out, before, i);
      }
    }
  }
}

HeapWord* H2SelectUnhintedTask::cursor() const {
  const size_t looked_at = looked_at_words() / ChunkWords;
  if (_kind == H2Unhinted::Structures) {
    return _bottom + (_first + looked_at) % _total_count * ChunkWords;
  }
  return MIN2(_bottom + (_first + MIN2(looked_at, _left_out)) * ChunkWords, _end);
}
