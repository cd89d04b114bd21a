/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2CARDSAHEAD_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2CARDSAHEAD_HPP

#include "gc/shared/cardTable.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "memory/allocation.hpp"
#include "runtime/prefetch.inline.hpp"

// A queue of cards whose objects are about to be read. Adding a card prefetches its words. The card leaves the queue some
// cards later, so the loads of several cards overlap. Cards are far apart, so each of these loads would otherwise wait for
// memory and for the page table.
template <typename Function>
class H2CardsAhead : public StackObj {
  typedef CardTable::CardValue CardValue;

  static const size_t Distance = 8;     // a power of two
  static const size_t LineSize = 64;

  Function&  _function;
  CardValue* _cards[Distance];
  size_t     _added;

  NONCOPYABLE(H2CardsAhead);

 public:
  // Calls the function for each card when it leaves the queue. Cards leave in the order in which they were added.
  H2CardsAhead(Function& function) : _function(function), _added(0) {}
  ~H2CardsAhead() { flush(); }

  void flush() {
    for (size_t i = _added > Distance ? _added - Distance : 0; i < _added; i++) {
      _function(_cards[i % Distance]);
    }
    _added = 0;
  }

  void add(CardValue* card) {
    HeapWord* const start = H1Heap::card_table()->addr_for(card);
    H2StartTable::of_h2().prefetch(H2StartTable::of_h2().card_index(start));
    for (size_t i = 0; i < CardTable::card_size; i += LineSize) {
      Prefetch::read(start, (intx)i);
    }
    CardValue** const place = &_cards[_added % Distance];
    CardValue* const oldest = _added >= Distance ? *place : NULL;
    *place = card;
    _added++;
    if (oldest != NULL) {
      _function(oldest);
    }
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2CARDSAHEAD_HPP
