/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERWINDOW_HPP
#define SHARE_GC_TERRACE_TIERS_TIERWINDOW_HPP

#include "utilities/globalDefinitions.hpp"

// The time for which accesses to pages are watched. If it is too long, all pages look accessed, however often they are.
// If it is too short, few accesses are seen. A tenth of the watched pages should be accessed, so that regions
// with few very hot pages are seen, too. If the program uses a small part of H2, that would be too long for this part.
// Therefore pages of the hottest regions that fit into fast memory are counted twice, after a part of the window and at
// its end. If most of them were accessed in the part already, the window is too long.
class TierWindow {
  static const jlong Least = 10 * NANOSECS_PER_MILLISEC / 1000;
  static const jlong First = NANOSECS_PER_MILLISEC;
  static const uint  EnoughSamples = 16;
  static const uint  EnoughTurns = 16;
  static const uint  EnoughIdleTurns = 4;
  static constexpr double MostAccessed = 0.2;
  static constexpr double LeastAccessed = 0.08;
  static constexpr double MostSaturated = 1.0 / 3;
  static constexpr double LeastSaturated = 0.1;
  static constexpr double LatestPart = 0.8;

  struct Sums {
    double pages;
    double accessed;
    double early;
    double time;
    double early_time;
  };

  const jlong _most;
  jlong       _nanos;
  uint        _turns;
  uint        _samples;             // with accesses
  Sums        _all;
  Sums        _hot;

  void clear() {
    _turns = _samples = 0;
    _all = _hot = Sums();
  }
  static double early_part(const Sums& s) { return s.time > 0 ? s.early_time / s.time : 0; }
  // 0 if the number of accessed pages grows like the time, and 1 if it does not grow any more
  static double saturation(const Sums& s) {
    const double part = early_part(s);
    return s.accessed > 0 && part < LatestPart ? (s.early / s.accessed - part) / (1 - part) : 0;
  }
  static void add_to(Sums* s, size_t early, jlong early_time, size_t accessed, jlong time, size_t pages) {
    s->pages += (double)pages;
    s->accessed += (double)accessed;
    s->early += (double)MIN2(early, accessed);
    s->time += (double)time;
    s->early_time += (double)early_time;
  }

 public:
  TierWindow(jlong most) : _most(most), _nanos(MIN2(First, most)) { clear(); }

  jlong nanos() const               { return _nanos; }
  // When to count the first time.
  jlong part_nanos() const          { return _nanos / 4; }

  void add(size_t early, jlong early_time, size_t accessed, jlong time, size_t pages, bool is_hot) {
    _samples += accessed > 0 ? 1 : 0;
    add_to(&_all, early, early_time, accessed, time, pages);
    if (is_hot) {
      add_to(&_hot, early, early_time, accessed, time, pages);
    }
  }

  // Called when all regions were sampled. Returns true if the length changes.
  bool turn_over() {
    if (_all.pages == 0) {
      return false;                     // nothing was sampled
    }
    _turns++;
    if (_samples < EnoughSamples && _turns < (_samples == 0 ? EnoughIdleTurns : EnoughTurns)) {
      return false;
    }
    const jlong before = _nanos;
    const double accessed = _all.accessed / _all.pages;
    const double saturated = saturation(_hot);
    if (early_part(_all) < LatestPart) { // otherwise the thread had to wait for a processor
      if (accessed > MostAccessed || saturated > MostSaturated) {
        _nanos = MAX2(_nanos / 2, Least);
      } else if (accessed < LeastAccessed && saturated < LeastSaturated) {
        _nanos = MIN2(_nanos * 2, _most);
      }
    }
    clear();
    return _nanos != before;
  }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERWINDOW_HPP
