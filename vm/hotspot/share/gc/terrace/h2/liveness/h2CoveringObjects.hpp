/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2COVERINGOBJECTS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2COVERINGOBJECTS_HPP

#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "memory/allocation.hpp"

// Finds the objects that cover the first words of cards. It remembers the last object of the last card. For a large array,
// the start table takes up to one step for each power of two in the array's size, and each step waits for memory. The next
// card with references often belongs to the same array.
//
// An object of this class is used while no object of H2 moves or is freed.
class H2CoveringObjects : public StackObj {
  HeapWord* _start;
  HeapWord* _end;
  size_t    _looked_up;

 public:
  H2CoveringObjects() : _start(NULL), _end(NULL), _looked_up(0) {}

  // The start of the object that covers the first word of a card.
  HeapWord* at(HeapWord* card_start) {
    if (card_start >= _start && card_start < _end) {
      return _start;
    }
    _looked_up++;
    return H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(card_start));
  }

  // Remembers an object that was found on a card.
  void found(HeapWord* start, HeapWord* end) {
    _start = start;
    _end = end;
  }

  // How often the start table was needed.
  size_t looked_up() const { return _looked_up; }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2COVERINGOBJECTS_HPP
