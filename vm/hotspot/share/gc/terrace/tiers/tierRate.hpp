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

// Limits the rate of an activity. Unused allowance is kept for a while. An activity that starts while some
// allowance is left may exceed it, and the next one then waits longer.
class TierRate {
  const double _per_second;
  const double _most;
  double       _left;
  jlong        _last;               // in nanoseconds

 public:
  TierRate(double per_second, double kept_seconds, jlong now) :
    _per_second(per_second), _most(per_second * kept_seconds), _left(0), _last(now) {}

  // The current allowance, which is 0 or less if it is exhausted.
  double left(jlong now) {
    _left = MIN2(_left + _per_second * (double)(now - _last) / NANOSECS_PER_SEC, _most);
    _last = now;
    return _left;
  }
  void use(double amount)           { _left -= amount; }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERRATE_HPP
