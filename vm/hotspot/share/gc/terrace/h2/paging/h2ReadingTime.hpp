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

// Estimates how long a marking through H2 reads pages that are not in memory. Samples of H2 tell how
// many these are. The speed of the device is that of some reads of such pages, which take at most
// 100 ms. The last marking tells which share of such pages it needs, as it does not read arrays
// without references.
class H2ReadingTime {
  static const size_t Pieces = 512;
  static const size_t PieceBytes = 128 * K;
  static const int    PiecesAtOnce = 8;
  static const jlong  MaxNanos = 100 * (jlong)NANOSECS_PER_MILLISEC;
  // Reads take at most this part of the time.
  static const jlong  TimeShare = 64;
  static const int    LeastShare = 64;
  // A shorter time says nothing about the share.
  static const int    LeastMillis = 1000;

  jlong  _measured_at;               // 0: never
  jlong  _measured_in;
  double _nanos_per_byte;
  uint   _samples;
  double _share;                     // of the missing pages that a marking needs
  // In this collection. -1: unknown
  double _missing_millis;

  class Sample;

  void measure(const Sample& sample);
  double missing_millis();

 public:
  H2ReadingTime() : _measured_at(0), _measured_in(0), _nanos_per_byte(0), _samples(0), _share(1), _missing_millis(-1) {}

  // Called when a collection begins.
  void begin()                       { _missing_millis = -1; }
  // The time in milliseconds. Called at a safepoint. Tests override it.
  virtual julong millis()            { return (julong)(missing_millis() * _share); }
  // Called when a marking has ended.
  void marked(julong took) {
    if (_missing_millis >= LeastMillis) {
      // The next marking may need other pages, so the share falls by half at most.
      _share = clamp(took / _missing_millis, MAX2(_share / 2, 1.0 / LeastShare), 1.0);
    }
  }
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2READINGTIME_HPP
