/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2READINGTIME_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2READINGTIME_HPP

#include "utilities/globalDefinitions.hpp"

// Estimates how long it takes to read all pages of H2 that are not in memory. Samples of regions tell
// how many these are. The speed of the device is that of some reads of such pages, which take about
// 100 ms on a slow device.
class H2ReadingTime {
  static const size_t SampledRegions = 64;
  static const size_t PiecesPerRegion = 8;
  static const size_t PieceBytes = 128 * K;
  static const size_t PiecesAtOnce = 8;
  static const jlong  MaxNanos = 100 * (jlong)NANOSECS_PER_MILLISEC;
  // Reads take at most this part of the time.
  static const jlong  TimeShare = 64;

  jlong  _measured_at;               // 0: never
  jlong  _measured_in;
  double _nanos_per_byte;

  class Sample;

  void measure(const Sample& sample);

 public:
  H2ReadingTime() : _measured_at(0), _measured_in(0), _nanos_per_byte(0) {}

  // The time in milliseconds. Called at a safepoint. Tests override it.
  virtual julong millis();
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2READINGTIME_HPP
