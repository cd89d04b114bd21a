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
#include "runtime/prefetch.inline.hpp"
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
class H2StartTable {
  // An object, because a pointer to it would be read for each card.
  static H2StartTable _of_h2;

  uint8_t*  _table;
  HeapWord* _bottom;

  static const size_t WordsPerCard = CardTable::card_size_in_words;

  NONCOPYABLE(H2StartTable);

 public:
  constexpr H2StartTable() : _table(NULL), _bottom(NULL) {}

  static H2StartTable& of_h2() { return _of_h2; }

  bool initialize(HeapWord* bottom, size_t word_size);
  bool commit(HeapWord* start, size_t word_size);

  size_t card_index(const HeapWord* p) const {
    return pointer_delta(p, _bottom) / WordsPerCard;
  }
  HeapWord* card_start(size_t index) const {
    return _bottom + index * WordsPerCard;
  }

  // Records that an object occupies [start, start + size).
  void record(HeapWord* start, size_t size) {
    size_t index = card_index(start + WordsPerCard - 1);
    const size_t last = card_index(start + size - 1);
    for (; index <= last; index++) {
      const size_t distance = pointer_delta(card_start(index), start);
      _table[index] = (uint8_t)(distance < WordsPerCard
                                ? distance
                                : WordsPerCard + log2i(distance / WordsPerCard));
    }
  }

  // Starts to load the entry into the cache.
  void prefetch(size_t index) const { Prefetch::read(_table, (intx)index); }

  HeapWord* object_covering(size_t index) const {
    uint8_t entry;
    while ((entry = _table[index]) >= WordsPerCard) {
      index -= (size_t)1 << (entry - WordsPerCard);
    }
    return card_start(index) - entry;
  }
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2STARTTABLE_HPP
