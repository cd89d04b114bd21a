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
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "memory/allocation.inline.hpp"


H2Dependencies H2Dependencies::_of_h2;

void H2Dependencies::initialize(uint region_count) {
  if (H2UnionFind) {
    _groups.initialize(region_count);
  } else {
    _sets = NEW_C_HEAP_ARRAY(H2RegionSet, region_count, mtGC);
  }
}

void H2Dependencies::open(uint head) {
  if (!H2UnionFind) {
    _sets[head].initialize(H2Heap::region_count());
  }
}

void H2Dependencies::close(uint head, bool is_dead) {
  if (!H2UnionFind) {
    _sets[head].release();
  } else if (is_dead) {
    _groups.reset(head);
  }
}

void H2Dependencies::prepare_marking() {
  if (H2UnionFind) {
    _groups.link_members([](uint index) { return H2Heap::region(index)->is_head(); });
  }
}

void H2Dependencies::forget(uint from, uint to) {
  // A group need not be changed, because marking ignores members that are not in use.
  if (!H2UnionFind) {
    _sets[from].remove(to);
  }
}

void H2Dependencies::forget_all() {
  if (H2UnionFind) {
    for (uint i = 0; i < H2Heap::region_count(); i++) {
      _groups.reset(i);
    }
  } else {
    H2Heap::heap().heads_do([this](H2Region* r) { _sets[H2Heap::index_of_region(r)].clear(); });
  }
}
