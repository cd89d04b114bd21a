/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2CARDS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2CARDS_HPP

#include "gc/terrace/h2/liveness/h2NullSlices.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/space/h2Region.hpp"
#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"

class BasicOopIterateClosure;
class H1AdjustWorker;
class H1MarkWorker;
class H1ScavengeWorker;
class H2StaticObjects;

// The cards of H2, which show where H2 refers to H1 (TeraHeap, section 3.4). H2Card has their states.
//
// Minor collections scan dirty and young cards, and on other cards the rest of an object that
// starts on a dirty one. Major collections also scan old cards. They scan remembered cards only
// if a target moves, or if classes no longer keep a target. Every scan of a card records
// dependencies before the state may change. If a major collection has scanned the old cards of a
// region for marking, it skips them in adjustment if none of their targets moves.
//
// The unit of work is a region, also within a run. One worker scans all cards of a region, so a
// card has one owner, and so has an object with all its cards, unless it is an array. During a
// minor collection, the owner may set a card to clean or old before it pushes the first slot of
// that card. After that, workers that process the slots only upgrade it to young. While
// H2AheadMarker marks, the owner sets cards to old instead of clean.
class H2Cards : public CHeapObj<mtGC> {
  static H2Cards* _of_h2;

  volatile uint    _claimed;           // regions
  H2StaticObjects* _statics;   // during a major collection with regions; addresses before compaction
  // Whether the marking of this collection has found the targets of old cards.
  bool             _knows_targets;
  // Whether the marking of this collection has marked the cards of all fields of written objects.
  bool             _has_expanded;
  // The numbers of cards that workers have scanned.
  H2WorkerCounts   _scavenged;
  H2WorkerCounts   _marked;
  H2WorkerCounts   _adjusted;
  H2WorkerCounts   _looked_up;         // objects that minor collections have found by the start table
  volatile uint    _scavenge_count;    // workers that have finished
  H2NullSlices     _null_slices;

  NONCOPYABLE(H2Cards);

  H2Cards();
  H2Region* claim_next();
  H2Region* claim_to_scavenge();
  void scavenge_ended();
  bool are_targets_static(const H2Region* r) const;
  bool may_skip_old(const H2Region* r) const;

 public:
  static void initialize()        { _of_h2 = new H2Cards(); }
  static H2Cards& of_h2()         { return *_of_h2; }

  H2NullSlices& null_slices()     { return _null_slices; }

  void reset_claims();

  // Called before marking, and after a transfer, which may have opened the first regions.
  void collect_static_objects();
  void end_major_collection();

  // Called for a slot of an object that was just copied to H2.
  static void set_old(void* slot);

  // Pushes slots that refer to the young generation. Called in a minor collection.
  void scavenge(H1ScavengeWorker* worker);

  // Marks the H1 objects to which the region refers, and makes the regions live to which it
  // refers. Called during marking.
  void mark_from(H2Region* r, H1MarkWorker* worker);
  // was_deep: the collection marked through H2.
  void end_marking(bool was_deep);
  // Called before a transfer puts objects into H2.
  void forget_targets()           { _knows_targets = false; }

  // Iterates over the slots of a live run that may refer to H1, except to objects that classes
  // keep. Called after marking, by one worker for a run.
  void slots_to_h1_do(H2Region* head, BasicOopIterateClosure* cl);

  // Iterates over slots of marked objects in one region. These slots may refer to H1, except to
  // objects that classes keep, or were written since. Called in a marking that began ahead.
  struct Rescanned {
    size_t cards;
    size_t objects;           // counted once per card
  };
  Rescanned rescan(H2Region* r, BasicOopIterateClosure* cl);

  // Calls function(object) for the H1 objects that are targets of a region, if only the move of a
  // target makes the collection scan the remembered cards of the region. Called after marking by
  // every worker. Claims regions.
  template <typename Function>
  void remembered_targets_do(Function function) {
    H2Region* r;
    while ((r = claim_next()) != NULL) {
      if (r->targets() != NULL && are_targets_static(r)) {
        r->targets()->objects_do(function);
      }
    }
  }

  // Updates slots to the new addresses of H1 objects, and sets the states of the cards
  // accordingly. Called after the summary phase. is_moving tells whether an object moves to H2, for verification.
  typedef bool (*IsMoving)(const HeapWord* p);
  void adjust(H1AdjustWorker* worker, IsMoving is_moving);
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2CARDS_HPP
