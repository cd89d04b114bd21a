/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERHISTOGRAM_HPP
#define SHARE_GC_TERRACE_TIERS_TIERHISTOGRAM_HPP

#include "utilities/globalDefinitions.hpp"
#include "utilities/powerOfTwo.hpp"

#include <math.h>
#include <string.h>

// How many bytes of regions have which heat, in steps of a quarter of a power of two.
class TierHistogram {
  static const int StepsPerPower = 4;
  static const int Steps = 16 * StepsPerPower;

  size_t _bytes[Steps];

  static int step_of(float heat) {
    return heat <= 0 ? 0 : clamp(Steps - 1 + (int)floorf(StepsPerPower * log2f(heat)), 0, Steps - 1);
  }
  static float heat_of(int step) {
    return step == 0 ? 0 : exp2f((float)(step + 1 - Steps) / StepsPerPower);
  }

 public:
  TierHistogram()                   { clear(); }
  void clear()                      { memset(_bytes, 0, sizeof(_bytes)); }
  void add(float heat, size_t bytes) { _bytes[step_of(heat)] += bytes; }

  // The heat of the coldest regions that belong to the hottest ones of this size.
  float threshold(size_t size) const {
    int step = Steps - 1;
    for (size_t sum = _bytes[step]; sum < size && step > 0; sum += _bytes[step]) {
      step--;
    }
    return heat_of(step);
  }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERHISTOGRAM_HPP
