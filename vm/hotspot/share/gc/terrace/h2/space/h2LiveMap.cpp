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
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "memory/iterator.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/mutexLocker.hpp"


H2LiveMap H2LiveMap::_of_h2;

void H2LiveMap::initialize() {
  _of_h2._lock = new Mutex(Mutex::leaf, "H2LiveMap lock", true, Mutex::_safepoint_check_never);
}

void H2LiveMap::objects_do(ObjectClosure* cl) const {
  H2Heap::heap().heads_do([=](H2Region* r) {
    for (HeapWord* p = H2Heap::bottom_of(r); p < r->top(); p += cast_to_oop(p)->size()) {
      if (!is_garbage(r, p)) {
        cl->do_object(cast_to_oop(p));
      }
    }
  });
}

void H2LiveMap::take(H2Marks* marks) {
  H2Marks before;
  {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    before = _marks;
    _marks = *marks;
  }
  *marks = H2Marks();
  if (before.is_mapped()) {
    before.retire();
  }
}

void H2LiveMap::forget() {
  H2Marks none;
  take(&none);
}

const char* H2LiveMap::writeback_error() {
  H2Scratch scratch;
  {
    MutexLocker ml(_of_h2._lock, Mutex::_no_safepoint_check_flag);
    scratch = _of_h2._marks.scratch();
  }
  return scratch.writeback_error();   // may wait for the device
}
