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
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/liveness/h2NullSlices.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "memory/allocation.inline.hpp"

H2NullSlices::H2NullSlices() {
  const size_t slices = H2Heap::region_count() * (H2Heap::region_words() / SliceWords);
  const size_t words = BitMap::calc_size_in_words(slices);
  BitMap::bm_word_t* const map = NEW_C_HEAP_ARRAY(BitMap::bm_word_t, words, mtGC);
  memset(map, 0, words * sizeof(BitMap::bm_word_t));
  _slices = BitMapView(map, slices);
}

size_t H2NullSlices::index_of(const void* p) {
  return pointer_delta(p, H2Heap::bottom(), 1) / (SliceWords * HeapWordSize);
}

HeapWord* H2NullSlices::start_of(size_t index) {
  return H2Heap::bottom() + index * SliceWords;
}

const CardTable::CardValue* H2NullSlices::first_card_of(size_t index) {
  return H1Heap::card_table()->byte_for(start_of(index));
}

size_t H2NullSlices::index_of_card(const CardTable::CardValue* card) {
  return index_of(H1Heap::card_table()->addr_for(card));
}

void H2NullSlices::opened(MemRegion run) {
  _slices.clear_range(index_of(run.start()), index_of(run.end()));
}

void H2NullSlices::allocated(MemRegion array) {
  const size_t first = index_of(array.start() + SliceWords - 1);
  const size_t end = index_of(array.end());
  if (first < end) {
    _slices.set_range(first, end);
  }
}

bool H2NullSlices::are_null(HeapWord* start) {
  for (HeapWord* p = start; p < start + SliceWords; p++) {
    if (*(uintptr_t*)p != 0) {
      return false;
    }
  }
  return true;
}

bool H2NullSlices::is_clean(size_t index) {
  const CardTable::CardValue* const first = first_card_of(index);
  for (const CardTable::CardValue* row = first; row < first + SliceCards; row += sizeof(jlong)) {
    if (*(const jlong*)row != -1) {       // eight clean cards
      return false;
    }
  }
  return true;
}

HeapWord* H2NullSlices::end_of_null(MemRegion range, bool finds_more) {
  size_t index = index_of(range.start());
  if (range.start() != start_of(index)) {
    return range.start();
  }
  const size_t end = index_of(range.end());
  while (index < end) {
    if (_slices.at(index)) {
      if (!H2CardPages::of_h2().may_be_unclean(first_card_of(index))) {
        index = _slices.get_next_zero_offset(index, MIN2(end, align_down(index, PageSlices) + PageSlices));
      } else if (is_clean(index)) {
        index++;
      } else {
        break;
      }
    } else if (finds_more && are_null(start_of(index))) {
      _slices.par_set_bit(index);
      index++;
    } else {
      break;
    }
  }
  return start_of(index);
}
