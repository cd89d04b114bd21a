/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2MARKS_INLINE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2MARKS_INLINE_HPP

#include "gc/terrace/h2/space/h2Marks.hpp"

#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/bitMap.inline.hpp"

inline BitMap::idx_t H2Marks::bit_of(const void* p) {
  return pointer_delta((HeapWord*)p, H2Heap::bottom()) / WordsPerBit;
}

template <typename Function>
inline void H2Marks::marked_do(MemRegion words, Function function) const {
  if (words.is_empty()) {
    return;
  }
  const BitMap::idx_t end = bit_of(words.last()) + 1;
  HeapWord* p = NULL;
  for (BitMap::idx_t bit = bit_of(words.start()); (bit = _bits.get_next_one_offset(bit, end)) < end; bit++) {
    // Continue at the next object or at the object that covers the card's first word. An object
    // starts at either address.
    HeapWord* const at = H2Heap::bottom() + bit * WordsPerBit;
    p = MAX2(p, H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(at)));
    while (p < at) {
      p += cast_to_oop(p)->size();
    }
    if (p >= words.end()) {
      return;                           // the last bit also covers the word behind the range
    }
    const size_t size = cast_to_oop(p)->size();
    function(p, size);
    p += size;
  }
}

#endif // SHARE_GC_TERRACE_H2_SPACE_H2MARKS_INLINE_HPP
