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
#include "gc/terrace/threads/gcThreadPlacement.hpp"
#include "runtime/os.hpp"

GCThreadPlacement::GCThreadPlacement(uint max_threads, bool is_dynamic, uint offset) :
  _is_dynamic(is_dynamic), _max_threads(max_threads), _offset(offset), _threads(NEW_C_HEAP_ARRAY(Thread, max_threads, mtGC)),
  _processors(NULL), _processor_count(0), _seed((int)(offset % 1000000) + 1) {
  for (uint i = 0; i < max_threads; i++) {
    _threads[i].processor = Free;
    _threads[i].undisturbed = 0;
    _threads[i].patience = 1;
  }
}

GCThreadPlacement::~GCThreadPlacement() {
  FREE_C_HEAP_ARRAY(Thread, _threads);
  FREE_C_HEAP_ARRAY(Processor, _processors);
}

void GCThreadPlacement::set_processors(const Processor* processors, uint count) {
  assert(count > 0, "a thread runs somewhere");
  if (count != _processor_count) {
    FREE_C_HEAP_ARRAY(Processor, _processors);
    _processors = NEW_C_HEAP_ARRAY(Processor, count, mtGC);
    _processor_count = count;
  }
  memcpy(_processors, processors, count * sizeof(Processor));
}

int GCThreadPlacement::index_of(int id) const {
  for (uint i = 0; i < _processor_count; i++) {
    if (_processors[i].id == id) {
      return (int)i;
    }
  }
  return -1;
}

uint GCThreadPlacement::threads_on(int id) const {
  uint n = 0;
  for (uint i = 0; i < _max_threads; i++) {
    n += _threads[i].processor == id ? 1 : 0;
  }
  return n;
}

int GCThreadPlacement::random_target(double limit) {
  int found = Free;
  uint seen = 0;
  for (uint i = 0; i < _processor_count; i++) {
    if (_processors[i].others <= limit && threads_on(_processors[i].id) == 0) {
      seen++;
      _seed = os::next_random(_seed);
      if ((uint)_seed % seen == 0) {
        found = _processors[i].id;
      }
    }
  }
  return found;
}

int GCThreadPlacement::preferred(uint thread) const {
  return _processors[(_offset + thread) % _processor_count].id;
}

bool GCThreadPlacement::has_one_for_each() const {
  return _max_threads <= _processor_count;
}

bool GCThreadPlacement::must_be_placed(uint thread) const {
  const int id = _threads[thread].processor;
  if (!_is_dynamic) {
    return id != preferred(thread);
  }
  return id != Free && (index_of(id) < 0 || !has_one_for_each());
}

int GCThreadPlacement::place(uint thread) {
  Thread& t = _threads[thread];
  t.processor = Free;
  if (!_is_dynamic) {
    t.processor = preferred(thread);
  } else if (has_one_for_each()) {
    t.processor = threads_on(preferred(thread)) == 0 ? preferred(thread) : random_target(HighestTargetLoad);
  }
  return t.processor;
}

int GCThreadPlacement::judge(uint thread, double wait_share) {
  Thread& t = _threads[thread];
  if (!_is_dynamic) {
    return t.processor;
  }
  if (t.processor != Free) {
    if (wait_share >= Contended) {
      const double here = _processors[index_of(t.processor)].others;
      t.processor = random_target(MIN2(HighestTargetLoad, here / 2));
      if (t.processor == Free) {
        t.undisturbed = 0;
        t.patience = MIN2(t.patience * 2, MaxPatience);
      }
    }
  } else if (wait_share > Undisturbed) {
    t.undisturbed = 0;
  } else if (++t.undisturbed >= t.patience && has_one_for_each()) {
    t.processor = random_target(HighestTargetLoad);
  }
  return t.processor;
}

void GCThreadPlacement::set_free(uint thread) {
  _threads[thread].processor = Free;
  _threads[thread].undisturbed = 0;
  _threads[thread].patience = MaxPatience;
}
