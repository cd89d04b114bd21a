/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_INLINE_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_INLINE_HPP

#include "gc/terrace/h2/transfer/h2Forwarding.hpp"

#include "gc/terrace/h2/collector/h1Marks.inline.hpp"
#include "runtime/prefetch.inline.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/count_trailing_zeros.hpp"

inline bool H2Forwarding::is_marked(oop obj) {
  return H1Marks::is_marked(obj);
}

inline void H2Forwarding::prefetch(const HeapWord* p) const {
  Prefetch::write(&_words[block_of(p)], 0);
  Prefetch::write(&_group[block_of(p)], 0);
}

inline HeapWord* H2Forwarding::begin_of_objects(size_t block) const {
  HeapWord* const start = block_start(block);
  uint64_t words = _words[block];
  if ((words & 1) != 0 && !H1Marks::is_start(start)) {
    // Exclude the words of an object that starts in a previous block.
    words &= ~(uint64_t)0 << pointer_delta(H1Marks::end_of(start, start + BlockWords), start);
  }
  assert(words != 0, "no object starts in block " SIZE_FORMAT, block);
  return start + count_trailing_zeros(words);
}

inline HeapWord* H2Forwarding::last_object(size_t block) const {
  HeapWord* const end = block_start(block + 1);
  HeapWord* last = begin_of_objects(block);
  HeapWord* p;
  while ((p = H1Marks::next_start(last + MinObjAlignment, end)) < end) {
    last = p;
  }
  return last;
}

// The time is proportional to the size of the object's part in later blocks.
inline HeapWord* H2Forwarding::end_of_objects(size_t block) const {
  HeapWord* const end = block_start(block + 1);
  if (!is_moving(end - 1)) {
    return end;
  }
  return H1Marks::end_of(end - MinObjAlignment, H1Marks::limit());
}

template <typename Function>
inline void H2Forwarding::runs_do(const HeapWord* begin, const HeapWord* end, Function function) const {
  const BitMapView words = this->words();
  const BitMap::idx_t end_bit = pointer_delta(end, _bottom);
  BitMap::idx_t bit = pointer_delta(begin, _bottom);
  while ((bit = words.get_next_one_offset(bit, end_bit)) < end_bit) {
    const BitMap::idx_t run_end = words.get_next_zero_offset(bit, end_bit);
    function(_bottom + bit, _bottom + run_end);
    bit = run_end;
  }
}

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_INLINE_HPP
