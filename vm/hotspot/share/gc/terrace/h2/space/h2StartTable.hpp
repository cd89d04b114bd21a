/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2STARTTABLE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2STARTTABLE_HPP

#include "gc/shared/cardTable.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/powerOfTwo.hpp"

// Finds the object that covers the first word of a card of H2. The table has one byte per card,
// which is committed with the region:
//
//   e < card_size_in_words   the object starts e words before the card
//   e >= card_size_in_words  go back 2^(e - card_size_in_words) cards; the
//                            same object covers the first word there
//
// So an object of n cards is found in log(n) steps.
class H2StartTable : public AllStatic {
  static uint8_t*  _table;
  static HeapWord* _bottom;

  static const size_t WordsPerCard = CardTable::card_size_in_words;

 public:
  static bool initialize(HeapWord* bottom, size_t word_size);
  static bool commit(HeapWord* start, size_t word_size);

  static size_t card_index(const HeapWord* p) {
    return pointer_delta(p, _bottom) / WordsPerCard;
  }
  static HeapWord* card_start(size_t index) {
    return _bottom + index * WordsPerCard;
  }

  // Records that an object occupies [start, start + size).
  static void record(HeapWord* start, size_t size) {
    size_t index = card_index(start + WordsPerCard - 1);
    const size_t last = card_index(start + size - 1);
    for (; index <= last; index++) {
      const size_t distance = pointer_delta(card_start(index), start);
      _table[index] = (uint8_t)(distance < WordsPerCard
                                ? distance
                                : WordsPerCard + log2i(distance / WordsPerCard));
    }
  }

  static HeapWord* object_covering(size_t index) {
    uint8_t entry;
    while ((entry = _table[index]) >= WordsPerCard) {
      index -= (size_t)1 << (entry - WordsPerCard);
    }
    return card_start(index) - entry;
  }
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2STARTTABLE_HPP
