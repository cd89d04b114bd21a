/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKINGPOLICY_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKINGPOLICY_HPP

#include "gc/terrace/h2/paging/h2ReadingTime.hpp"
#include "utilities/globalDefinitions.hpp"

// The policy for when a major collection marks through H2. Such a marking reads the
// reachable objects of H2 from the device, so it happens only in these cases:
//
//   - Free space in H2 was short at the end of the last marking, or the last transfer left
//     less than the next one will take. The interval grows while this gains little.
//   - An OutOfMemoryError would follow, and the marking could prevent it.
//   - H2 keeps owners of resources outside the heap (H2Owners). If the library waits for a
//     resource, the marking happens at once, and else as often as a bound on time or on
//     requests allows. Only the marking finds out which owners were dropped. A count of
//     owners cannot be the only rule, because all of them may have been dropped at once.
//   - More than a share of H2 may be garbage (H2GarbageBound).
//   - A command or a test requests it.
class H2DeepMarkingPolicy {
  static const uint ShortFraction = 8;      // space is short if less than one in this many regions is free
  static const uint GainFraction = 16;      // a gain frees at least one in this many regions
  static const uint MaxInterval = 1024;
  // Dropping one owner is worth reading this many words of H2.
  static const size_t WordsPerOwner = 8 * K;
  static const size_t MinManyOwners = 256;
  static const size_t MaxManyOwners = 8192;
  // If a request was in vain, more than one owner per this many live ones must have been dropped.
  static const size_t FewOwnersFraction = 16;
  // The time since the last marking must be at least this many times the cost. The first value
  // is for collections that are requested, the second for others.
  static const julong RequestedShare = 8;
  static const julong UnrequestedShare = 64;
  // This many requests suffice instead, unless the cost is long. Both limits for requests double while no owner is freed.
  static const uint MinPatience = 4;
  static const uint MaxPatience = 16;
  static const julong LongMillis = 5000;
  // The estimate of the cost assumes at most this speed.
  static const size_t WordsPerMilli = 1 * M / HeapWordSize;

 public:
  struct Heap {
    size_t h2_words;        // words of H2 in use
    julong now;             // time in milliseconds
    H2ReadingTime* reading; // of what is not in memory. NULL: nothing is read
  };

  // The reason for the collection.
  struct Cause {
    bool is_last_resort;    // no later collection can free more for the allocation
    bool is_too_large;      // the object to allocate does not fit even in an empty H1
    bool is_requested;      // the program requested the collection
    bool library_waits;     // the library needs memory for a buffer, or a mapping
    bool is_for_classes;    // metaspace has grown
    bool is_forced;         // by a test or a command
  };

  struct Owners {
    size_t kept;            // found by the last marking, or moved since
    size_t live;            // live at the last marking through H2
    bool   was_in_vain;     // the last requested collection freed no owner
    size_t weakly;          // weak and soft references with referents in H2
    size_t class_loaders;   // loaders that H2 keeps, once per run
    bool   may_be_more;     // objects have moved since the count
  };

  enum Reason { None, ShortOfRoom, LastResort, ManyOwners, OwnersKept, LibraryWaits, OwnersTurn, WeakTurn, ClassesTurn, Forced,
                MuchGarbage };

  static bool is_for_owners(Reason reason) { return reason >= ManyOwners && reason <= OwnersTurn; }
  static const char* text(Reason reason) {
    static const char* const texts[] = {
      "", "free space is short", "an allocation fails otherwise", "they are many",
      "the last collection that the program requested freed none", "the library waits for memory or a mapping",
      "the number dropped since then is unknown", "weak references are to be cleared", "metaspace has grown", "forced",
      "H2 has grown by what may be garbage"
    };
    return texts[reason];
  }

 private:
  bool _short_of_room;
  // The regions that the last transfer took, and those that the last marking of H1 alone freed.
  uint _taken;
  uint _freed;
  uint _interval;                           // major collections with too little space per deep marking
  uint _waited;
  bool _has_gained;

  // The last deep marking: its end, its duration, and the words of H2 in use then. Before the first one: the time of the first
  // collection.
  julong _ended;
  bool   _is_begun;
  julong _took;
  size_t _took_for_words;
  // The collections since then that the program requested, or that were for classes.
  uint   _requests;
  uint   _patience;

  static julong reading(const Heap& heap) { return heap.reading == NULL ? 0 : heap.reading->millis(); }

  // The last marking in proportion to the words in use.
  julong measured(const Heap& heap) const {
    return _took_for_words == 0 ? 0 : (julong)((double)_took * heap.h2_words / _took_for_words);
  }

  // The time to read is only estimated if it matters, because that takes time itself.
  bool has_passed(julong share, const Heap& heap) const {
    const julong millis = (heap.now - _ended) / share;
    return cost(heap) <= millis && reading(heap) <= millis;
  }

  // A short marking of a small H2 says little, because it includes H1.
  bool is_long(const Heap& heap) const {
    const size_t growth = heap.h2_words - MIN2(heap.h2_words, _took_for_words);
    const julong expected = _took_for_words == 0 ? cost(heap) : MIN2(measured(heap), _took + growth / WordsPerMilli);
    return expected > LongMillis || reading(heap) > LongMillis;
  }

  // Whether a requested collection, or one for classes, should mark through H2.
  bool is_turn(const Heap& heap) const {
    return has_passed(RequestedShare * _patience / MinPatience, heap) || (_requests >= _patience && !is_long(heap));
  }

  Reason reason_of_owners(const Cause& cause, const Heap& heap, const Owners& owners) {
    _requests += cause.is_requested || cause.is_for_classes ? 1 : 0;
    const size_t many = clamp(heap.h2_words / WordsPerOwner, MinManyOwners, MaxManyOwners);
    const size_t dropped = owners.kept - MIN2(owners.kept, owners.live);     // may have been dropped since, at least
    if (dropped >= MAX2(owners.live, many)) {
      return ManyOwners;
    }
    if (cause.library_waits && (owners.kept != 0 || owners.may_be_more)) {
      return LibraryWaits;                  // the library requests one collection, and then throws an error
    }
    if (cause.is_requested && owners.was_in_vain && dropped > owners.live / FewOwnersFraction &&
        (!is_long(heap) || has_passed(RequestedShare, heap))) {
      return OwnersKept;
    }
    if (cause.is_requested && owners.kept != 0 && is_turn(heap)) {
      return OwnersTurn;
    }
    if (cause.is_requested && owners.weakly != 0 && _requests >= 2 * _patience && has_passed(RequestedShare, heap)) {
      return WeakTurn;
    }
    if (cause.is_for_classes && owners.class_loaders != 0 && is_turn(heap)) {
      return ClassesTurn;
    }
    return owners.kept >= many && has_passed(UnrequestedShare, heap) ? OwnersTurn : None;
  }

 public:
  // Milliseconds that marking through H2 is expected to take, if most of it is alive, and as much is in memory as last time.
  julong cost(const Heap& heap) const {
    return MAX3(measured(heap), (julong)(heap.h2_words / WordsPerMilli), (julong)1);
  }

  H2DeepMarkingPolicy() : _short_of_room(false), _taken(0), _freed(0), _interval(1), _waited(0), _has_gained(true),
    _ended(0), _is_begun(false), _took(0), _took_for_words(0), _requests(0), _patience(MinPatience) {}

  // Called once per major collection.
  Reason reason(const Cause& cause, const Heap& heap, const Owners& owners) {
    _ended = _is_begun ? _ended : heap.now;
    _is_begun = true;
    _waited += _short_of_room ? 1 : 0;
    if (_short_of_room && _waited >= _interval) {
      return ShortOfRoom;
    }
    // After an error, the program may drop objects and continue. The write barrier does not see
    // that. So an earlier marking in vain does not predict that this one is in vain.
    if (cause.is_last_resort && !cause.is_too_large) {
      return LastResort;
    }
    return cause.is_forced ? Forced : reason_of_owners(cause, heap, owners);
  }

  // Called after each marking, deep or not, with the numbers of regions.
  void marked(bool deep, uint freed, uint free, uint total) {
    if (deep) {
      _has_gained = freed > 0 && freed >= total / GainFraction;
      // A marking for another reason does not predict the gain of markings for space.
      _interval = _has_gained ? 1 : _short_of_room ? MIN2(_interval * 2, MaxInterval) : _interval;
      _waited = 0;
    } else {
      _freed = freed;
    }
    _short_of_room = free < total / ShortFraction;
  }

  // Called at the end of a deep marking. took: milliseconds.
  void ended(const Heap& heap, julong took, bool freed_owners) {
    _ended = heap.now;
    _is_begun = true;
    _took = took;
    _took_for_words = heap.h2_words;
    _requests = 0;
    _patience = freed_owners ? MinPatience : MIN2(_patience * 2, MaxPatience);
  }

  void transfer_failed()                    { _short_of_room = true; }
  // Called after a transfer. free: the regions that are free at the end of the collection.
  void transferred(uint taken, uint free) {
    _taken = taken;
    _short_of_room = _short_of_room || free + _freed < taken;
  }

  // Whether the next collection marks for lack of space. The first function is called at the
  // end of a collection. The second one is an estimate for its begin.
  bool is_due_next() const                  { return _short_of_room && _waited + 1 >= _interval; }
  bool may_be_due_next(uint free, uint total) const {
    return free < MAX2(total / ShortFraction, 2 * _taken) && _waited + 1 >= _interval;
  }
  // Whether the last deep marking was worth its pause.
  bool has_gained() const                   { return _has_gained; }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKINGPOLICY_HPP
