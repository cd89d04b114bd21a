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
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/storage/h2WritebackChecker.hpp"

size_t H2Marks::bytes(uint region_count) {
  return align_up(region_count * H2Heap::region_words() / WordsPerBit / BitsPerByte, os::vm_page_size());
}

void H2Marks::initialize() {
  H2Scratch::reserve(bytes(H2Heap::region_count()));
}

const char* H2Marks::map(uint region_count) {
  const char* const error = _scratch.map(bytes(region_count));
  if (error == NULL) {
    _bits = BitMapView((BitMap::bm_word_t*)_scratch.start(), region_count * H2Heap::region_words() / WordsPerBit);
  }
  return error;
}

void H2Marks::retire() {
  H2WritebackChecker::retire(_scratch);
  _scratch = H2Scratch();
  _bits = BitMapView();
}

HeapWord* H2Marks::object_at(BitMap::idx_t bit) {
  // The object starts in either word of the pair, and always covers the second one.
  return H2Heap::heap().block_start(H2Heap::bottom() + bit * WordsPerBit + WordsPerBit - 1);
}
