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
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/collector/h1Compaction.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/objArrayOop.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/globals.hpp"


H2Unhinted H2Unhinted::_of_h2;

H2Unhinted::H2Unhinted() :
  _survived(), _cursors(), _lap_pause(0), _skipped_laps(0), _softly_held_bytes(0), _is_last_resort(false), _is_lap_due(false) {}

void H2Unhinted::initialize() {
  if (H2MoveUnhinted) {
    _of_h2._quiet.initialize(H1Heap::reserved());
  }
}

void H2Unhinted::before_scavenge() {
  if (H2MoveUnhinted) {
    _quiet.before_scavenge();
    _restless.before_scavenge();
  }
}

void H2Unhinted::begin_selection(bool above_low, bool under_pressure, bool last_resort) {
  _quiet.begin_selection(above_low);
  _is_last_resort = under_pressure && last_resort;
  _is_lap_due = _is_last_resort || (under_pressure && _skipped_laps++ >= _lap_pause);
}

void H2Unhinted::moved(Kind kind, size_t words, HeapWord* cursor, bool is_lap) {
  _cursors[kind] = cursor;
  if (kind == Structures) {
    _lap_pause = words > EnoughWords ? 0 : is_lap ? MIN2(_lap_pause * 2 + 1, MaxLapPause) : _lap_pause;
    _skipped_laps = words > EnoughWords || is_lap ? 0 : _lap_pause;
    if (words > 0) {
      _restless.begin();
    }
  }
}

// Finds references to newer objects. References into H2 do not count, because H2 is below H1.
class H2NewerClosure : public BasicOopIterateClosure {
  HeapWord* const _end;
  bool            _found;

  template <typename T> void work(T* p) { _found = _found || is_newer(p, _end); }

 public:
  H2NewerClosure(HeapWord* end) : _end(end), _found(false) {}

  template <typename T> static bool is_newer(T* p, HeapWord* end) {
    T heap_oop = RawAccess<>::oop_load(p);
    return !CompressedOops::is_null(heap_oop) &&
           cast_from_oop<HeapWord*>(CompressedOops::decode_not_null(heap_oop)) >= end;
  }

  template <typename T> static bool has_newer(objArrayOop array, HeapWord* end) {
    T* const elements = (T*)array->base();
    for (int i = 0; i < array->length(); i++) {
      if (is_newer(elements + i, end)) {
        return true;
      }
    }
    return false;
  }

  bool found() const                { return _found; }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

bool H2Unhinted::refers_to_newer(oop obj) const {
  HeapWord* const end = end_of(Structures);
  if (obj->is_objArray()) {
    const objArrayOop array = objArrayOop(obj);
    return array->length() > MaxLooked ||
           (UseCompressedOops ? H2NewerClosure::has_newer<narrowOop>(array, end) : H2NewerClosure::has_newer<oop>(array, end));
  }
  H2NewerClosure cl(end);
  obj->oop_iterate(&cl);
  return cl.found();
}

jlong H2Unhinted::soft_reference_millis(jlong millis) const {
  const jlong charged = (jlong)(_softly_held_bytes / M) * SoftRefLRUPolicyMSPerMB;
  return MAX2(millis - charged, (jlong)0);
}

void H2Unhinted::end_major_collection() {
  if (!H2MoveUnhinted) {
    return;
  }
  _softly_held_bytes = 0;
  H2Heap::heap().heads_do([this](H2Region* r) {
    if (H2Labels::is_unhinted(r->label()) && r->is_softly_held()) {
      _softly_held_bytes += pointer_delta(r->top(), H2Heap::bottom_of(r)) * HeapWordSize;
    }
  });
  for (int i = Ages - 1; i > 0; i--) {
    _survived[i] = H1Compaction::new_place(_survived[i - 1]);
  }
  _survived[0] = H1Compaction::new_old_top();
  for (int i = 0; i < KindCount; i++) {
    _cursors[i] = H1Compaction::new_place(_cursors[i]);
  }
  _quiet.end_major_collection(H1Compaction::empties_young());
  _restless.end_major_collection();
}
