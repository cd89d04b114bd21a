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
inline void H2Forwarding::pieces_do(size_t block, Function function) const {
  function(block);
  _mixed.pieces_do(block, [&](size_t i) { function(_block_count + i); });
}

inline uint64_t H2Forwarding::words_of(size_t piece) const {
  if (!is_first(piece)) {
    return other(piece).words;
  }
  const size_t from = pointer_delta(begin_of_objects(piece), block_start(piece));
  return words_of_first(piece) & (~(uint64_t)0 << from);
}

inline void H2Forwarding::measure(size_t piece) {
  const uint64_t own = words_of(piece);
  assert(own != 0, "no object in piece " SIZE_FORMAT, piece);
  const size_t block = block_of_piece(piece);
  const bool goes_on = (own >> (BlockWords - 1)) != 0;
  const size_t later = goes_on ? pointer_delta(end_of_objects(block), block_start(block + 1)) : 0;
  value_of(piece) = (population_count(own) + later) * BlockWords + count_trailing_zeros(own);
}

template <typename Function>
inline void H2Forwarding::runs_of_piece_do(size_t piece, Function function) const {
  const size_t block = block_of_piece(piece);
  HeapWord* const start = block_start(block);
  uint64_t own = words_of(piece);
  while (own != 0) {
    const uint first = count_trailing_zeros(own);
    const uint64_t rest = ~(own >> first);
    const uint end = rest == 0 ? BlockWords : first + count_trailing_zeros(rest);
    function(start + first, end < BlockWords ? start + end : end_of_objects(block));
    own = end < BlockWords ? own & (~(uint64_t)0 << end) : 0;
  }
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
