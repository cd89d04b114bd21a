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
#include "gc/terrace/h2/space/h2RegionSet.hpp"
#include "memory/allocation.inline.hpp"

void H2RegionSet::initialize(uint limit) {
  _leaf_count = (limit + LeafBits - 1) / LeafBits;
  _leaves = NEW_C_HEAP_ARRAY(Leaf*, _leaf_count, mtGC);
  memset((void*)_leaves, 0, _leaf_count * sizeof(Leaf*));
}

void H2RegionSet::clear() {
  for (uint i = 0; i < _leaf_count; i++) {
    delete _leaves[i];
    _leaves[i] = NULL;
  }
}

void H2RegionSet::remove(uint index) {
  Leaf* const leaf = _leaves[index / LeafBits];
  if (leaf != NULL) {
    leaf->words[index % LeafBits / WordBits] &= ~((Word)1 << (index % WordBits));
  }
}

void H2RegionSet::release() {
  clear();
  FREE_C_HEAP_ARRAY(Leaf*, _leaves);
  _leaves = NULL;
  _leaf_count = 0;
}

H2RegionSet::Leaf* H2RegionSet::leaf_for(uint index) {
  Leaf* volatile* const place = &_leaves[index / LeafBits];
  Leaf* leaf = Atomic::load_acquire(place);
  if (leaf == NULL) {
    Leaf* const fresh = new Leaf();
    memset((void*)fresh->words, 0, sizeof(fresh->words));
    leaf = Atomic::cmpxchg(place, (Leaf*)NULL, fresh);
    if (leaf == NULL) {
      return fresh;
    }
    delete fresh;
  }
  return leaf;
}

size_t H2RegionSet::byte_size() const {
  size_t bytes = _leaf_count * sizeof(Leaf*);
  for (uint i = 0; i < _leaf_count; i++) {
    bytes += _leaves[i] == NULL ? 0 : sizeof(Leaf);
  }
  return bytes;
}
