/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2GARBAGEBOUND_HPP
#define SHARE_GC_TERRACE_H2_H2GARBAGEBOUND_HPP

#include "utilities/globalDefinitions.hpp"

// Bounds the garbage in an H2 that has free space. Only a marking through H2 finds
// garbage. One is due when the growth since the last one may be garbage of more than
// a share of H2 (H2GarbageThreshold), and
//
//   - H2 still grows. A program that has loaded its data and rests pays nothing.
//   - the expected time is at most a 65th of that since the last one.
//
// The bound expects that all of H2 is alive, unless the last marking found much
// garbage. After that, it expects that the live data stays as large.
//
// H2 may grow faster than the time that pays for the first marking. That marking
// happens while H2 is small, if the program writes in H2, as one that replaces
// data does.
class H2GarbageBound {
  static const julong TimeShare = 64;
  // H2 rests if the last half of the time has brought less of the growth.
  static const size_t RestsFraction = 8;
  // The program writes in H2 if the written cards have this part of the growth.
  static const size_t WrittenFraction = 64;
  // Much garbage is this part of H2, or more.
  static const size_t MuchFraction = 4;
  static const size_t MaxLeast = 512 * M / HeapWordSize;
  static const size_t LeastFraction = 4;

  // At the end of the last marking. Before the first one: 0, and the time of the first question.
  size_t _live;
  size_t _used;
  size_t _written;
  julong _since;
  bool   _is_begun;
  // The last one of an H2 that was large enough. 0: there was none.
  size_t _marked_words;
  julong _took;
  bool   _found_much;

  // Use at two earlier times. The time since the last marking has doubled at each.
  julong _sample_at;
  size_t _sample;
  size_t _earlier_sample;

  void restart(size_t used, size_t written, julong now) {
    _used = used;
    _written = written;
    _since = now;
    _is_begun = true;
    _sample = _earlier_sample = used;
    _sample_at = now + 1;
  }

  void note_growth(size_t used, julong now) {
    if (now >= _sample_at) {
      _earlier_sample = _sample;
      _sample = used;
      _sample_at = now + (now - _since);
    }
  }

  bool is_growing(size_t used) const {
    return used > _earlier_sample && used - _earlier_sample >= (used - _used) / RestsFraction;
  }

 public:
  struct Limits {
    uint   percent;         // of H2 may be garbage. 100: no bound
    size_t capacity_words;  // of H2
    julong goal_millis;     // for the pause. 0: no goal
  };

  H2GarbageBound() : _live(0), _used(0), _written(0), _since(0), _is_begun(false), _marked_words(0), _took(0), _found_much(false),
    _sample_at(0), _sample(0), _earlier_sample(0) {}

  // Less garbage is not worth a marking.
  static size_t least(size_t capacity_words) { return MIN2(capacity_words / LeastFraction, MaxLeast); }

  // Asked once per major collection. Words in use, and on cards that were written since the VM
  // started. Milliseconds; full_cost if all of H2 is alive.
  bool is_due(const Limits& limits, size_t used, size_t written, julong now, julong full_cost) {
    if (!_is_begun) {
      restart(0, 0, now);
    }
    note_growth(used, now);
    if (limits.percent >= 100 || used <= _used) {
      return false;
    }
    const size_t least_words = least(limits.capacity_words);
    const size_t allowed = (size_t)((double)_live * limits.percent / (100 - limits.percent));
    if (used - _used < MAX2(allowed, least_words) || !is_growing(used)) {
      return false;
    }
    const julong cost = _found_much ? MIN2(_took, full_cost) : full_cost;
    if (limits.goal_millis != 0 && cost > limits.goal_millis) {
      return false;
    }
    const bool is_written = written - _written >= (used - _used) / WrittenFraction;
    const bool is_early = _marked_words == 0 && used < 2 * least_words && is_written;
    return is_early || now - _since >= TimeShare * cost;
  }

  // A marking through H2 has ended, of so many words, of which live ones were reachable. So many
  // stay in use.
  void marked(size_t words, size_t live, size_t used, size_t written, size_t capacity_words, julong took, julong now) {
    _live = live;
    restart(used, written, now);
    if (words >= least(capacity_words) / 2) {
      _marked_words = words;
      _took = took;
      _found_much = words - MIN2(live, words) >= words / MuchFraction;
    }
  }
};

#endif // SHARE_GC_TERRACE_H2_H2GARBAGEBOUND_HPP
