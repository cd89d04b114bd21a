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
#include "gc/terrace/h2/space/h2FreedRegions.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/os.hpp"

const uint H2FreedRegions::None;

H2FreedRegions::H2FreedRegions(uint region_count) :
  _states(NEW_C_HEAP_ARRAY(uint8_t, region_count, mtGC)), _region_count(region_count), _full_count(0), _cursor(0) {
  memset((void*)_states, Empty, region_count);
}

H2FreedRegions::~H2FreedRegions() {
  FREE_C_HEAP_ARRAY(uint8_t, (uint8_t*)_states);
}

void H2FreedRegions::freed(uint first, uint count) {
  uint fresh = 0;
  for (uint i = first; i < first + count; i++) {
    assert(_states[i] == Empty || _states[i] == Full, "nobody returns the space of a region in use");
    fresh += _states[i] == Empty ? 1 : 0;
    Atomic::release_store(&_states[i], (uint8_t)Full);
  }
  Atomic::add(&_full_count, fresh);
}

// Returns whether the region may have old contents. A thread that returns its space stops at the
// latest when it sees that the region is wanted. It may also have finished before.
bool H2FreedRegions::take(uint index) {
  bool is_interrupted = false;
  uint8_t state;
  while ((state = Atomic::load_acquire(&_states[index])) != Empty) {
    if (state == Full) {
      if (Atomic::cmpxchg(&_states[index], state, (uint8_t)Empty) == state) {
        Atomic::dec(&_full_count);
        return true;
      }
    } else if (state == Returning) {
      is_interrupted = Atomic::cmpxchg(&_states[index], state, (uint8_t)Wanted) == state;
    } else {
      os::naked_short_nanosleep(20 * 1000);
    }
  }
  return is_interrupted;
}

uint H2FreedRegions::reuse(uint first, uint count) {
  uint full = 0;
  for (uint i = first; i < first + count; i++) {
    full += take(i) ? 1 : 0;
  }
  return full;
}

uint H2FreedRegions::claim() {
  for (uint i = 0; i < _region_count && full_count() > 0; i++) {
    const uint index = Atomic::load(&_cursor);
    Atomic::store(&_cursor, index + 1 < _region_count ? index + 1 : 0);
    if (Atomic::load(&_states[index]) == Full &&
        Atomic::cmpxchg(&_states[index], (uint8_t)Full, (uint8_t)Returning) == Full) {
      Atomic::dec(&_full_count);
      return index;
    }
  }
  return None;
}

void H2FreedRegions::finish(uint index, bool is_empty) {
  if (!is_empty) {
    Atomic::inc(&_full_count);
    if (Atomic::cmpxchg(&_states[index], (uint8_t)Returning, (uint8_t)Full) == Returning) {
      return;
    }
    Atomic::dec(&_full_count);
  }
  Atomic::release_store(&_states[index], (uint8_t)Empty);
}
