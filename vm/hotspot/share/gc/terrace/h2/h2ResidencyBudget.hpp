/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2RESIDENCYBUDGET_HPP
#define SHARE_GC_TERRACE_H2_H2RESIDENCYBUDGET_HPP

#include "utilities/globalDefinitions.hpp"

// How much of H2 is to stay in memory. Nothing says how much the system
// leaves to us, and that changes; so we find out, as TCP does for a link:
// what turns out to have stayed raises the budget a little, what was evicted
// lowers it by as much.
class H2ResidencyBudget {
  static const size_t GrowthFraction = 16;  // per pass over what stays
  // What stays tells whether more could, so some always does.
  static const size_t MinBytes = 64 * M;

  size_t _bytes;
  size_t _kept;
  bool   _refused;                          // the last time that it was asked

 public:
  // Until something was evicted, all may stay.
  H2ResidencyBudget() : _bytes(max_uintx), _kept(0), _refused(false) {}

  bool   is_limited() const                 { return _bytes != max_uintx; }
  size_t bytes() const                      { return _bytes; }
  size_t kept() const                       { return _kept; }

  // So much is in memory while the system evicts. Some of it has to make room
  // for what the program reads; and it is easier to grow than to lose.
  void limit(size_t resident)               { _bytes = MAX2(resident / 2, MinBytes); }

  bool keep(size_t bytes) {
    _refused = _kept + bytes > _bytes;
    if (_refused) {
      return false;
    }
    _kept += bytes;
    return true;
  }
  void drop(size_t bytes)                   { _kept -= bytes; }

  // What was kept was found in memory.
  void stayed(size_t bytes) {
    if (_refused) {                         // the budget is what bounds it
      _bytes += bytes / GrowthFraction;
    }
  }
  // Of what was kept so much was missing; it is not kept any more.
  void left(size_t bytes, size_t missing) {
    drop(bytes);
    _bytes = MAX2(_bytes - MIN2(_bytes, missing), MinBytes);
  }
};

#endif // SHARE_GC_TERRACE_H2_H2RESIDENCYBUDGET_HPP
