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
//   - if room in H2 was short at the end of the last marking; less and less
//     often while that gains little;
//   - before an OutOfMemoryError, if it may help;
//   - if H2 may keep much outside of the heap that somebody misses (H2Owners);
//   - if somebody asks for it.
class H2DeepMarkingPolicy {
  static const uint ShortFraction = 8;      // less than one in this many regions is free
  static const uint GainFraction = 16;      // at least one in this many regions was freed
  static const uint MaxInterval = 1024;
  // Of H1, or of what H2 holds: that less was freed or has changed since is little.
  static const uint LittleFraction = 64;
  static const size_t MaxLittleWritten = 64 * K;
  static const uint MaxPause = 1023;
  // Of owners: that dropping so many is worth reading so much of H2.
  static const size_t WordsPerOwner = 8 * K;
  static const size_t MinManyOwners = 256;
  static const size_t MaxManyOwners = 8192;
  // Fewer, by those that are known to live, are not worth it to anybody.
  static const size_t FewOwnersFraction = 16;

 public:
  // What tells whether the heap has changed.
  struct Heap {
    size_t h1_words;        // the most that the old generation can hold
    size_t live_words;      // in H1, by the last marking
    size_t h2_words;        // in use
    size_t written_words;   // in H2 so far, by transfers and by the program
  };

  // What the collection is for.
  struct Cause {
    bool is_last_resort;    // what it does not free, nothing does
    bool is_too_large;      // the object to allocate, for an empty H1
    bool is_requested;      // by the program
    bool library_waits;     // for memory of a buffer, or a mapping
    bool is_forced;         // for tests, or by a command
  };

  struct Owners {
    size_t kept;            // by the last marking
    size_t live;            // of those found last by a marking through H2
    bool   was_in_vain;     // the last collection that the program asked for
  };

  enum Reason { None, ShortOfRoom, LastResort, ManyOwners, OwnersKept, LibraryWaits, Forced };

  static bool is_for_owners(Reason reason) { return reason >= ManyOwners && reason <= LibraryWaits; }
  static const char* text(Reason reason) {
    static const char* const texts[] = {
      "", "room is short", "an allocation fails otherwise", "they are many",
      "the collection that the program asked for before has freed none", "the library waits for memory or a mapping", "forced"
    };
    return texts[reason];
  }

 private:
  bool _short_of_room;
  uint _interval;                           // major collections that are short of room, per deep marking
  uint _waited;

  // The last deep marking has helped neither heap, and this is how it left them.
  bool   _was_in_vain;
  Heap   _left;
  size_t _live_before;                      // words in H1, by the last marking that was not deep
  uint   _pause;                            // so many last resorts do without, if little changes
  uint   _skipped;

  static size_t difference(size_t a, size_t b) { return a > b ? a - b : b - a; }

  bool has_changed(const Heap& heap) const {
    return difference(heap.live_words, _left.live_words) > heap.h1_words / LittleFraction ||
           heap.written_words - _left.written_words > MIN2(heap.h2_words / LittleFraction, MaxLittleWritten);
  }

  // It is tried again, with growing pauses: that the program has stored null is
  // not seen, and a program may do so after an error, and expect that it helps.
  bool is_last_resort_due(const Heap& heap) {
    if (!_was_in_vain || has_changed(heap) || _skipped == _pause) {
      return true;
    }
    _skipped++;
    return false;
  }

  static Reason reason_of_owners(const Cause& cause, const Heap& heap, const Owners& owners) {
    if (owners.kept <= owners.live) {
      return None;
    }
    const size_t dropped = owners.kept - owners.live;     // at most
    if (dropped >= MAX2(owners.live, clamp(heap.h2_words / WordsPerOwner, MinManyOwners, MaxManyOwners))) {
      return ManyOwners;
    }
    if (!cause.is_requested || dropped <= owners.live / FewOwnersFraction) {
      return None;
    }
    return owners.was_in_vain ? OwnersKept : cause.library_waits ? LibraryWaits : None;
  }

 public:
  H2DeepMarkingPolicy() : _short_of_room(false), _interval(1), _waited(0), _was_in_vain(false), _left(), _live_before(0),
    _pause(0), _skipped(0) {}

  // Asked once per major collection. The last resort is one before an
  // OutOfMemoryError: garbage in H2 may keep H1 full.
  Reason reason(const Cause& cause, const Heap& heap, const Owners& owners) {
    _waited += _short_of_room ? 1 : 0;
    if (_short_of_room && _waited >= _interval) {
      return ShortOfRoom;
    }
    if (cause.is_last_resort && !cause.is_too_large && is_last_resort_due(heap)) {
      return LastResort;
    }
    return cause.is_forced ? Forced : reason_of_owners(cause, heap, owners);
  }

  // What a marking found; deep or not.
  void marked(bool deep, uint freed, uint free, uint total, const Heap& heap) {
    if (deep) {
      const bool gained = freed > 0 && freed >= total / GainFraction;
      _interval = gained ? 1 : MIN2(_interval * 2, MaxInterval);
      _waited = 0;
      const bool was_in_vain = freed == 0 && heap.live_words + heap.h1_words / LittleFraction >= _live_before;
      _pause = was_in_vain && _was_in_vain && !has_changed(heap) ? MIN2(_pause * 2 + 1, MaxPause) : 0;
      _was_in_vain = was_in_vain;
      _left = heap;
      _skipped = 0;
    } else {
      _live_before = heap.live_words;
    }
    _short_of_room = free < total / ShortFraction;
  }

  void transfer_failed()                    { _short_of_room = true; }

  // Whether the next collection will be short of room, at the end of one; or may be, at its begin.
  bool is_due_next() const                  { return _short_of_room && _waited + 1 >= _interval; }
  bool may_be_due_next(uint free, uint total) const {
    return free < total / ShortFraction && _waited + 1 >= _interval;
  }
  // Whether the last deep marking was worth its pause.
  bool has_gained() const                   { return _interval == 1; }
};

#endif // SHARE_GC_TERRACE_H2_H2DEEPMARKINGPOLICY_HPP
