/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERRATE_HPP
#define SHARE_GC_TERRACE_TIERS_TIERRATE_HPP

#include "utilities/globalDefinitions.hpp"

// So much of something per second. What is not used is kept for a while. What is begun while something is left may take more, and
// what comes next waits the longer.
class TierRate {
  const double _per_second;
  const double _most;
  double       _left;
  jlong        _last;               // in nanoseconds

 public:
  TierRate(double per_second, double kept_seconds, jlong now) :
    _per_second(per_second), _most(per_second * kept_seconds), _left(0), _last(now) {}

  // What may be used now; not more than 0 if nothing may.
  double left(jlong now) {
    _left = MIN2(_left + _per_second * (double)(now - _last) / NANOSECS_PER_SEC, _most);
    _last = now;
    return _left;
  }
  void use(double amount)           { _left -= amount; }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERRATE_HPP
