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
// device, so only if room in H2 was short at the end of the last marking, and
// less and less often while that gains little.
class H2DeepMarkingPolicy {
  static const uint ShortFraction = 8;      // less than one in this many regions is free
  static const uint GainFraction = 16;      // at least one in this many regions was freed
  static const uint MaxInterval = 1024;

  bool _short_of_room;
  uint _interval;                           // major collections that are short of room, per deep marking
  uint _waited;

 public:
  H2DeepMarkingPolicy() : _short_of_room(false), _interval(1), _waited(0) {}

  // Asked once per major collection. The last resort is one before an
  // OutOfMemoryError: garbage in H2 may keep H1 full.
  bool is_due(bool last_resort) {
    _waited += _short_of_room ? 1 : 0;
    return last_resort || (_short_of_room && _waited >= _interval);
  }

  // What a marking found; deep or not.
  void marked(bool deep, uint freed, uint free, uint total) {
    if (deep) {
      const bool gained = freed > 0 && freed >= total / GainFraction;
      _interval = gained ? 1 : MIN2(_interval * 2, MaxInterval);
      _waited = 0;
    }
    _short_of_room = free < total / ShortFraction;
  }

  void transfer_failed()                    { _short_of_room = true; }
};

#endif // SHARE_GC_TERRACE_H2_H2DEEPMARKINGPOLICY_HPP
