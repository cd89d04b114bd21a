/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGPROGRESS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGPROGRESS_HPP

#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// How far a marking through H2 is, and when to report that. A marking that takes less than the interval reports nothing.
class H2MarkingProgress {
  volatile size_t _words;
  volatile jlong  _next_report;     // in nanoseconds

  NONCOPYABLE(H2MarkingProgress);

 public:
  static const jlong IntervalNanos = 5 * (jlong)NANOSECS_PER_SEC;

  H2MarkingProgress(jlong start) : _words(0), _next_report(start + IntervalNanos) {}

  // The size of the objects that were followed.
  size_t words() const { return Atomic::load(&_words); }

  // Called by any worker after it has followed objects. Returns true for one caller in each interval.
  bool add(size_t words, jlong now) {
    Atomic::add(&_words, words);
    const jlong due = Atomic::load(&_next_report);
    return now >= due && Atomic::cmpxchg(&_next_report, due, now + IntervalNanos) == due;
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGPROGRESS_HPP
