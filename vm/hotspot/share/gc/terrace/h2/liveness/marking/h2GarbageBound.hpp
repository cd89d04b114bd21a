/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2GARBAGEBOUND_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2GARBAGEBOUND_HPP

#include "utilities/globalDefinitions.hpp"

// Bounds the share of garbage in an H2 that has free space (H2GarbageThreshold). Only a marking
// through H2 finds garbage. A marking is due if the growth since the last one would exceed the
// bound as garbage, and if two conditions hold:
//
//   - H2 still grows. A program that has loaded its data and allocates no more pays nothing.
//   - The expected duration is at most 1/64 of the time since the last marking.
//
// The expected duration assumes that all of H2 is alive. If the last marking found much garbage,
// it assumes that the live data has not grown.
//
// H2 may grow so fast that too little time passes before the first marking. If the program
// writes in H2, that marking may therefore take 1/8 of the time while H2 is small. Programs that
// replace data write in H2.
class H2GarbageBound {
  static const julong TimeShare = 64;
  static const julong EarlyTimeShare = 8;
  // H2 does not grow if the last half of the time brought less than this part of the growth.
  static const size_t RestsFraction = 8;
  // The program writes in H2 if the written cards have at least this part of the growth.
  static const size_t WrittenFraction = 64;
  // Garbage is much if it is at least this part of H2.
  static const size_t MuchFraction = 4;
  static const size_t MaxLeast = 512 * M / HeapWordSize;
  static const size_t LeastFraction = 4;

  // The state at the end of the last marking. Before the first one: 0, and the time of the first call.
  size_t _live;
  size_t _used;
  size_t _written;
  julong _since;
  bool   _is_begun;
  // The last marking of an H2 that was large enough. 0: none.
  size_t _marked_words;
  julong _took;
  bool   _found_much;

  // The words in use at two earlier times. At each, the time since the last marking had doubled.
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
    uint   percent;         // maximum share of garbage in H2. 100: no bound
    size_t capacity_words;  // of H2
    julong goal_millis;     // for the pause. 0: no goal
  };

  H2GarbageBound() : _live(0), _used(0), _written(0), _since(0), _is_begun(false), _marked_words(0), _took(0), _found_much(false),
    _sample_at(0), _sample(0), _earlier_sample(0) {}

  // Less garbage than this is not worth a marking.
  static size_t least(size_t capacity_words) { return MIN2(capacity_words / LeastFraction, MaxLeast); }

  // Called once per major collection. used: words in use. written: words on cards that were written since
  // the VM started. Times are in milliseconds. full_cost: the cost if all of H2 is alive.
  // reading: the time to read what is not in memory, whatever is alive.
  bool is_due(const Limits& limits, size_t used, size_t written, julong now, julong full_cost, julong reading) {
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
    const julong cost = MAX2(_found_much ? MIN2(_took, full_cost) : full_cost, reading);
    if (limits.goal_millis != 0 && cost > limits.goal_millis) {
      return false;
    }
    const bool is_written = written - _written >= (used - _used) / WrittenFraction;
    const bool is_early = _marked_words == 0 && used < 2 * least_words && is_written;
    return now - _since >= (is_early ? EarlyTimeShare : TimeShare) * cost;
  }

  // Called at the end of a marking through H2. words: in use at its begin. live: reachable words.
  // used: words that stay in use.
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

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2GARBAGEBOUND_HPP
