/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2CARDS_HPP
#define SHARE_GC_TERRACE_H2_H2CARDS_HPP

#include "gc/shared/cardTable.hpp"
#include "gc/terrace/h2/h2Region.hpp"
#include "memory/allStatic.hpp"
#include "runtime/atomic.hpp"
#include "utilities/align.hpp"

class BasicOopIterateClosure;
class H2StaticObjects;
class ParCompactionManager;
class H2WorkerCounts;
class PSPromotionManager;

// References out of H2 (TeraHeap, section 3.4). The state of a card speaks of
// the reference slots in it, wherever their object starts:
//
//   clean   no slot refers to H1
//   dirty   the mutator stored here, or into a non-array object that starts
//           here: anything may be there, a reference to another H2 region
//           that no dependency records included
//   young   a slot may refer to the young generation
//   old     slots refer to H1, but none to the young generation
//   remembered
//           the same, and to nothing there that the region's targets
//           (H2Targets) do not name
//
// Minor collections scan dirty and young cards, major ones also old cards, and
// those remembered if a target moves, or classes let go of it.
// Every scan of a card records dependencies before the state may change. A major
// collection that has scanned the old cards of a region to mark from them need
// not read them again where none of their targets moves.
//
// Regions are the unit of work, those of a run too: one worker scans all cards of
// a region, so that a card has one owner, and an object that is no array with its
// cards. During a minor collection the owner may turn a card clean or old before
// it pushes the first slot of that card; from then on workers that process the
// slots only upgrade it to young. While H2AheadMarker marks, it leaves cards old that
// it would have turned clean.
class H2Cards : public AllStatic {
  static volatile uint _claimed;

  static H2StaticObjects* _statics;   // during a major collection with regions, addresses before it
  // What old cards refer to, by the marking of this collection.
  static bool             _knows_targets;
  // Cards that workers scanned.
  static H2WorkerCounts*  _scavenged;
  static H2WorkerCounts*  _marked;
  static H2WorkerCounts*  _adjusted;
  static volatile uint    _scavenge_count;  // workers that have done their part

  static H2Region* claim_next();
  static H2Region* claim_to_scavenge();
  static void scavenge_ended();
  static bool are_targets_static(const H2Region* r);
  static bool may_skip_old(const H2Region* r);

 public:
  enum State : uint8_t { Dirty = 0, Young = 3, Old = 4, Remembered = 5, Clean = 255 };

  static void initialize();
  static void reset_claims();

  // Calls function(card) for each that is not clean, of H2 or of H1. Reads rows of eight whole.
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

  // Before marking if there are regions, and else when a transfer may have opened some.
  static void find_statics();
  static void end_major_collection();

  // For a slot of an object that was just copied there.
  static void set_old(void* slot);

  // Minor collection: pushes slots that refer to the young generation.
  static void scavenge(PSPromotionManager* pm);

  // Marking: marks H1 objects that the region refers to, and makes regions that
  // it refers to live.
  static void mark_from(H2Region* r, ParCompactionManager* cm);
  static void end_marking();
  // Before a transfer puts anything into H2.
  static void forget_targets()    { _knows_targets = false; }

  // After marking: slots of a live run that may refer to H1, and not only to
  // what classes keep. One worker for a run.
  static void slots_to_h1_do(H2Region* head, BasicOopIterateClosure* cl);

  // Marking through H2 that began ahead: slots of one region that may refer to H1, and
  // not only to what classes keep, or were written since; if their objects are marked.
  struct LookedAt {
    size_t cards;
    size_t objects;           // once for each card
  };
  static LookedAt look_again(H2Region* r, BasicOopIterateClosure* cl);

  // After marking, by every worker: calls function(object) for the objects in H1 that the targets of
  // a region name, if only a move of one of them makes the region's remembered cards be read.
  // Takes the claims.
  template <typename Function>
  static void remembered_targets_do(Function function) {
    H2Region* r;
    while ((r = claim_next()) != NULL) {
      if (r->targets() != NULL && are_targets_static(r)) {
        r->targets()->objects_do(function);
      }
    }
  }

  // After the summary phase: gives slots the new addresses of H1 objects, and
  // cards the states that then hold.
  static void adjust(ParCompactionManager* cm);
};

#endif // SHARE_GC_TERRACE_H2_H2CARDS_HPP
