/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2TRANSFERPOLICY_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2TRANSFERPOLICY_HPP

#include "utilities/globalDefinitions.hpp"

// The policy for how much a collection moves to H2 in addition to scheduled objects.
//
// It moves something if more than the high threshold is live, or more than the
// low threshold if the collection has a special reason. Then it moves enough to
// bring the live data down to the low threshold. Objects of structures are
// expensive in H2, so they move only as far as the high threshold
// requires, unless moving arrays was not sufficient before.
class H2TransferPolicy {
  // Each further frequent collection in a row halves the low threshold, at most this many times.
  static const uint MaxHalvings = 3;
  // From this many frequent collections in a row on, moving arrays was not sufficient.
  static const uint FirstForStructures = 3;
  static const uintx Never = 100;

 public:
  // In percent of the old generation at its maximum size.
  struct Thresholds {
    uintx low;
    uintx high;             // 100: nothing moves unless the program schedules it
  };

  // Words of the old generation.
  struct Heap {
    size_t max_size;
    size_t used;            // before the collection
    size_t live;            // of all generations
  };

  // The reason for the collection.
  struct Cause {
    bool is_early;          // the heap could grow, or metaspace has grown
    bool is_last_resort;    // no later collection can free more for the allocation
    bool moves_unhinted;
    uint frequent_in_a_row; // H2Frequency::in_a_row(); 0: this one is not frequent
    bool knows_written;     // the objects that the program has written recently are known
  };

 private:
  const Heap   _heap;
  const Cause  _cause;
  const size_t _high;
  const size_t _usual_low;
  const size_t _low;
  const bool   _is_under_pressure;

  static uint halvings(const Cause& cause) {
    return cause.frequent_in_a_row <= 1 ? 0 : MIN2(cause.frequent_in_a_row - 1, MaxHalvings);
  }

  // An array that is about to be allocated may need more space than the high threshold leaves.
  bool needs_more() const {
    return _cause.frequent_in_a_row > 0 || (_cause.moves_unhinted && _cause.is_last_resort);
  }

  // Since the last collection, the program has had time to write the objects that it modifies.
  bool needs_structures() const {
    return _cause.is_last_resort || (_cause.frequent_in_a_row >= FirstForStructures && _cause.knows_written);
  }

 public:
  H2TransferPolicy(const Thresholds& thresholds, const Heap& heap, const Cause& cause) :
    _heap(heap), _cause(cause), _high(heap.max_size / 100 * thresholds.high),
    _usual_low(heap.max_size / 100 * thresholds.low), _low(_usual_low >> halvings(cause)),
    _is_under_pressure(thresholds.high < Never && (heap.live > _high || (needs_more() && heap.live > _low))) {}

  bool is_above_low() const               { return _heap.live > _low; }
  bool is_under_pressure() const          { return _is_under_pressure; }

  // The words to move, so that the live data falls to the low threshold.
  size_t wanted_words() const {
    return _is_under_pressure && is_above_low() ? _heap.live - _low : 0;
  }
  // If this many words move without structures, the structures stay.
  size_t enough_words() const {
    return needs_structures() || !_is_under_pressure ? wanted_words() : _heap.live > _high ? _heap.live - _high : 0;
  }

  // Whether scheduled objects may stay in H1 for now. While the heap grows to its maximum, and
  // while the program loads its classes, collections occur although H1 has space. If the
  // program's data fits into H1, moving scheduled objects then makes it slower.
  bool may_wait() const {
    return _cause.is_early && wanted_words() == 0 && _heap.used < _usual_low;
  }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2TRANSFERPOLICY_HPP
