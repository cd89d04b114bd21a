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

  // Calls function(card) for each card of H2 or H1 that is not clean. Reads whole rows of eight cards.
  template <typename Function>
  static void unclean_do(CardTable::CardValue* first, CardTable::CardValue* end, Function function) {
    for (CardTable::CardValue* card = first; card < end; card++) {
      if (is_aligned(card, sizeof(jlong)) && *(jlong*)card == -1) {
        card += sizeof(jlong) - 1;      // eight clean ones
      } else if (*card != Clean) {
        function(card);
      }
    }
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2CARD_HPP
