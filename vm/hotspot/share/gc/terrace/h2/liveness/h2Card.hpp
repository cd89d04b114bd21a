/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2CARD_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2CARD_HPP

#include "gc/shared/cardTable.hpp"
#include "memory/allStatic.hpp"
#include "utilities/align.hpp"

// The state of a card of H2. It describes the reference slots on the card, wherever their object starts:
//
//   clean   no slot refers to H1
//   dirty   the program stored into a slot here, or into a non-array object that starts
//           here. The slots may refer to anything, even to another region of H2 without a
//           recorded dependency
//   young   a slot may refer to the young generation
//   old     slots may refer to H1, but not to the young generation
//   remembered
//           like old, and all objects of H1 to which slots refer are in the targets of
//           the region (H2Targets)
class H2Card : public AllStatic {
 public:
  enum State : uint8_t { Dirty = 0, Young = 3, Old = 4, Remembered = 5, Clean = 255 };

  // Multiplied by a state, eight cards of this state.
  static const uint64_t EightOnes = UCONST64(0x0101010101010101);

 private:
  typedef CardTable::CardValue CardValue;

  static const size_t RowCards = sizeof(uint64_t);
  static const size_t LineCards = 8 * RowCards;

  static uint64_t row_at(const CardValue* card) { return *(const uint64_t*)card; }

  // The compiler loads several rows at once.
  static bool is_line_clean(const CardValue* line) {
    uint64_t all = ~(uint64_t)0;
    for (size_t i = 0; i < LineCards; i += RowCards) {
      all &= row_at(line + i);
    }
    return all == ~(uint64_t)0;
  }

 public:
  // Calls function(card) for each card of H2 or H1 that is not clean. Reads whole rows of eight cards.
  template <typename Function>
  static void unclean_do(CardValue* first, CardValue* end, Function function) {
    CardValue* card = first;
    while (card < end) {
      if (is_aligned(card, LineCards) && pointer_delta(end, card, 1) >= LineCards && is_line_clean(card)) {
        card += LineCards;
      } else if (is_aligned(card, RowCards) && row_at(card) == ~(uint64_t)0) {
        card += RowCards;
      } else {
        if (*card != Clean) {
          function(card);
        }
        card++;
      }
    }
  }

  // The states of some cards.
  struct Found {
    bool has_unclean;
    bool has_unremembered;      // neither clean nor remembered
  };

  // Reads rows of cards until nothing else can be found.
  static Found find(const CardValue* first, const CardValue* end) {
    Found found = { false, false };
    const CardValue* row = first;
    while (row < end && !found.has_unremembered) {
      if (is_aligned(row, LineCards) && is_line_clean(row)) {
        row += LineCards;
      } else {
        found.has_unclean = found.has_unclean || row_at(row) != ~(uint64_t)0;
        found.has_unremembered = has_unremembered(row);
        row += RowCards;
      }
    }
    return found;
  }

 private:
  static bool has_unremembered(const CardValue* row) {
    if (row_at(row) == ~(uint64_t)0 || row_at(row) == Remembered * EightOnes) {
      return false;
    }
    for (size_t i = 0; i < RowCards; i++) {
      if (row[i] != Clean && row[i] != Remembered) {
        return true;
      }
    }
    return false;
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2CARD_HPP
