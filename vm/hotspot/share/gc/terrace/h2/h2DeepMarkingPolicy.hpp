/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2DEEPMARKINGPOLICY_HPP
#define SHARE_GC_TERRACE_H2_H2DEEPMARKINGPOLICY_HPP

#include "utilities/globalDefinitions.hpp"

// When to mark through H2. Doing so reads what is reachable there from the
// device, so only
//
//   - if room in H2 was short at the end of the last marking, or the last transfer
//     left less than the next one will take; less and less often while that gains
//     little;
//   - before every OutOfMemoryError that it could prevent;
//   - for what is outside of the heap (H2Owners): at once if the library waits for
//     it, and else as often as a bound on time or on requests allows. Which owners
//     were dropped is unknown until H2 is marked through, so no count of them can
//     be the only rule: all may have been dropped at once;
//   - if more than a share of H2 may be garbage (H2GarbageBound);
//   - if somebody asks for it.
class H2DeepMarkingPolicy {
  static const uint ShortFraction = 8;      // less than one in this many regions is free
  static const uint GainFraction = 16;      // at least one in this many regions was freed
  static const uint MaxInterval = 1024;
  // Of owners: that dropping so many is worth reading so much of H2.
  static const size_t WordsPerOwner = 8 * K;
  static const size_t MinManyOwners = 256;
  static const size_t MaxManyOwners = 8192;
  // Fewer, by those that are known to live, are not worth it to anybody.
  static const size_t FewOwnersFraction = 16;
  // So many times its cost must have passed since the last one: if somebody asks,
  // and if nobody does.
  static const julong RequestedShare = 8;
  static const julong UnrequestedShare = 64;
  // Or so many requests. Both double while it frees no owner.
  static const uint MinPatience = 4;
  static const uint MaxPatience = 16;
  // What H2 has is read no faster, as long as nothing was measured.
  static const size_t WordsPerMilli = 1 * M / HeapWordSize;

 public:
  struct Heap {
    size_t h2_words;        // in use
    julong now;             // milliseconds
  };

  // What the collection is for.
  struct Cause {
    bool is_last_resort;    // what it does not free, nothing does
    bool is_too_large;      // the object to allocate, for an empty H1
    bool is_requested;      // by the program
    bool library_waits;     // for memory of a buffer, or a mapping
    bool is_for_classes;    // metaspace has grown
    bool is_forced;         // for tests, or by a command
  };

  struct Owners {
    size_t kept;            // by the last marking
    size_t live;            // of those found last by a marking through H2
    bool   was_in_vain;     // the last collection that the program asked for
    size_t weakly;          // other references to objects in H2 that are to be cleared with these
    size_t class_loaders;   // that H2 keeps
    bool   may_be_more;     // objects have moved since they were counted
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
  // Regions that the last transfer took, and that the last marking of H1 alone freed.
  uint _taken;
  uint _freed;
  uint _interval;                           // major collections that are short of room, per deep marking
  uint _waited;
  bool _has_gained;

  // The last one: when it ended, how long it took, for how much of H2.
  julong _ended;
  julong _took;
  size_t _took_for_words;
  // Collections since then that somebody asked for.
  uint   _requests;
  uint   _patience;

  bool has_passed(julong share, const Heap& heap) const {
    return heap.now - _ended >= share * cost(heap);
  }

  // For a collection that somebody asks for.
  bool is_turn(const Heap& heap) const {
    return _requests >= _patience || has_passed(RequestedShare * _patience / MinPatience, heap);
  }

  Reason reason_of_owners(const Cause& cause, const Heap& heap, const Owners& owners) {
    _requests += cause.is_requested || cause.is_for_classes ? 1 : 0;
    const size_t many = clamp(heap.h2_words / WordsPerOwner, MinManyOwners, MaxManyOwners);
    const size_t dropped = owners.kept - MIN2(owners.kept, owners.live);     // at least those may have been
    if (dropped >= MAX2(owners.live, many)) {
      return ManyOwners;
    }
    if (cause.library_waits && (owners.kept != 0 || owners.may_be_more)) {
      return LibraryWaits;                  // it asks once, and then throws
    }
    if (cause.is_requested && owners.was_in_vain && dropped > owners.live / FewOwnersFraction) {
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
  // Milliseconds that marking through H2 is expected to take, if most of it is alive.
  julong cost(const Heap& heap) const {
    const double measured = _took_for_words == 0 ? 0 : (double)_took * heap.h2_words / _took_for_words;
    return MAX3((julong)measured, (julong)(heap.h2_words / WordsPerMilli), (julong)1);
  }

  H2DeepMarkingPolicy() : _short_of_room(false), _taken(0), _freed(0), _interval(1), _waited(0), _has_gained(true),
    _ended(0), _took(0), _took_for_words(0), _requests(0), _patience(MinPatience) {}

  // Asked once per major collection.
  Reason reason(const Cause& cause, const Heap& heap, const Owners& owners) {
    _waited += _short_of_room ? 1 : 0;
    if (_short_of_room && _waited >= _interval) {
      return ShortOfRoom;
    }
    // The write barrier does not see that a program drops something, as it may do after
    // an error, to go on. So no earlier one tells that this one will be in vain.
    if (cause.is_last_resort && !cause.is_too_large) {
      return LastResort;
    }
    return cause.is_forced ? Forced : reason_of_owners(cause, heap, owners);
  }

  // What a marking found; deep or not.
  void marked(bool deep, uint freed, uint free, uint total) {
    if (deep) {
      _has_gained = freed > 0 && freed >= total / GainFraction;
      // One for another reason says nothing of those for room.
      _interval = _has_gained ? 1 : _short_of_room ? MIN2(_interval * 2, MaxInterval) : _interval;
      _waited = 0;
    } else {
      _freed = freed;
    }
    _short_of_room = free < total / ShortFraction;
  }

  // A deep one has ended.
  void ended(const Heap& heap, julong took, bool freed_owners) {
    _ended = heap.now;
    _took = took;
    _took_for_words = heap.h2_words;
    _requests = 0;
    _patience = freed_owners ? MinPatience : MIN2(_patience * 2, MaxPatience);
  }

  void transfer_failed()                    { _short_of_room = true; }
  // So many regions are free when the collection has ended.
  void transferred(uint taken, uint free) {
    _taken = taken;
    _short_of_room = _short_of_room || free + _freed < taken;
  }

  // Whether the next collection will be short of room, at the end of one; or may be, at its begin.
  bool is_due_next() const                  { return _short_of_room && _waited + 1 >= _interval; }
  bool may_be_due_next(uint free, uint total) const {
    return free < MAX2(total / ShortFraction, 2 * _taken) && _waited + 1 >= _interval;
  }
  // Whether the last deep marking was worth its pause.
  bool has_gained() const                   { return _has_gained; }
};

#endif // SHARE_GC_TERRACE_H2_H2DEEPMARKINGPOLICY_HPP
