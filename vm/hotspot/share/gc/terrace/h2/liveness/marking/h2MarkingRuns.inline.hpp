/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGRUNS_INLINE_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGRUNS_INLINE_HPP

#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"

#include "runtime/atomic.hpp"
#include "utilities/bitMap.inline.hpp"

template <typename Function>
inline bool H2MarkingRuns::pending_do(uint head, Function function) {
  const julong span = Atomic::xchg(&_runs[head]._span, (julong)EmptySpan);
  const uint low = low_of(span);
  const uint high = high_of(span);
  if (low >= high) {
    return true;
  }
  Atomic::add(&_scanned_words, (size_t)(high - low));
  const BitMap::idx_t first = first_bit_of(head);
  const BitMap::idx_t end = first + (BitMap::idx_t)high * BitsPerWord;
  for (BitMap::idx_t bit = first + (BitMap::idx_t)low * BitsPerWord;
       (bit = _pending.bits().get_next_one_offset(bit, end)) < end;
       bit++) {
    if (!function(take_pending(bit))) {
      extend_span(head, bit);
      extend_span(head, end - 1);
      return false;
    }
  }
  return true;
}

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGRUNS_INLINE_HPP
