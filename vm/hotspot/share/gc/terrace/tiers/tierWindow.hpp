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

// The time for which accesses to pages are watched. If it is too long, all pages look accessed, however often they
// are. If it is too short, few accesses are seen. So the accessed pages are counted twice, after a part of the window and
// at its end. If most pages were accessed in the part already, the window is too long. If their number grows like the
// time, it may be longer. Only the hottest regions that fit into fast memory count, since others may be rarely used.
class TierWindow {
  static const jlong Least = 100 * NANOSECS_PER_MILLISEC / 1000;
  static const jlong First = NANOSECS_PER_MILLISEC;
  static const uint  EnoughSamples = 16;
  static const uint  EnoughTurns = 4;
  static constexpr double TooLong = 1.0 / 3;
  static constexpr double TooShort = 0.1;
  static constexpr double LatestPart = 0.8;

  const jlong _most;
  jlong       _nanos;
  uint        _turns;
  uint        _samples;             // with accesses
  double      _pages;
  double      _early_pages;
  double      _time;
  double      _early_time;

  void clear() {
    _turns = _samples = 0;
    _pages = _early_pages = _time = _early_time = 0;
  }

 public:
  TierWindow(jlong most) : _most(MAX2(most, Least)), _nanos(MIN2(First, _most)) { clear(); }

  jlong nanos() const               { return _nanos; }
  // When to count the first time.
  jlong part_nanos() const          { return _nanos / 4; }

  void add(size_t early_pages, jlong early_time, size_t pages, jlong time) {
    _samples += pages > 0 ? 1 : 0;
    _early_pages += (double)MIN2(early_pages, pages);
    _early_time += (double)early_time;
    _pages += (double)pages;
    _time += (double)time;
  }

  // Called when all regions were sampled. Returns true if the length changes.
  bool turn_over() {
    _turns++;
    if (_samples < EnoughSamples && _turns < EnoughTurns) {
      return false;
    }
    const double part = _time > 0 ? _early_time / _time : 0;
    // 0 if the number of accessed pages grows like the time, and 1 if it does not grow any more
    const double saturation = _pages > 0 ? (_early_pages / _pages - part) / (1 - part) : 0;
    const jlong before = _nanos;
    if (part < LatestPart) {            // otherwise the thread had to wait for a processor
      _nanos = saturation > TooLong ? MAX2(_nanos / 2, Least) : saturation < TooShort ? MIN2(_nanos * 2, _most) : _nanos;
    }
    clear();
    return _nanos != before;
  }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERWINDOW_HPP
