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
#include "gc/terrace/h2/liveness/h2RegionGroups.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/atomic.hpp"

void H2RegionGroups::initialize(uint limit) {
  _limit = limit;
  _parent = NEW_C_HEAP_ARRAY(uint, limit, mtGC);
  _next = NEW_C_HEAP_ARRAY(uint, limit, mtGC);
  for (uint i = 0; i < limit; i++) {
    reset(i);
  }
}

void H2RegionGroups::release() {
  FREE_C_HEAP_ARRAY(uint, _parent);
  FREE_C_HEAP_ARRAY(uint, _next);
}

void H2RegionGroups::reset(uint index) {
  _parent[index] = index;
  _next[index] = index;
}

uint H2RegionGroups::group_of(uint index) {
  uint parent;
  while ((parent = Atomic::load(&_parent[index])) != index) {
    const uint grandparent = Atomic::load(&_parent[parent]);
    if (grandparent != parent) {
      Atomic::cmpxchg(&_parent[index], parent, grandparent);
    }
    index = parent;
  }
  return index;
}

void H2RegionGroups::merge(uint a, uint b) {
  while ((a = group_of(a)) != (b = group_of(b))) {
    const uint parent = MIN2(a, b);
    const uint child = MAX2(a, b);
    if (Atomic::cmpxchg(&_parent[child], child, parent) == child) {
      return;
    }
  }
}
