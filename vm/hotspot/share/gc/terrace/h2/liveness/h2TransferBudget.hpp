/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2TRANSFERBUDGET_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2TRANSFERBUDGET_HPP

#include "utilities/globalDefinitions.hpp"

// Computes how much a collection may move under a goal for its pause, from the speed of earlier
// transfers. If the rest of the pause takes longer than the goal, a transfer may take as long as
// the rest. A smaller transfer would hardly make the pause shorter, but many more transfers would
// be needed.
class H2TransferBudget {
  // Smaller transfers do not show the speed.
  static const size_t MinMeasuredWords = 1 * M / HeapWordSize;
  static const size_t FirstWordsPerMilli = 200 * K / HeapWordSize;

  double _millis_per_word;
  double _rest_millis;

 public:
  H2TransferBudget() : _millis_per_word(1.0 / FirstWordsPerMilli), _rest_millis(0) {}

  size_t words(uintx goal_millis) const {
    return (size_t)(MAX2((double)goal_millis, _rest_millis) / _millis_per_word);
  }

  // Called with the size and duration of a transfer. If the kernel blocks writers for the device,
  // the next transfers are as slow, too. So a transfer that was slower than expected counts in
  // full, and a faster one in part.
  void moved(size_t words, jlong nanos) {
    if (words >= MinMeasuredWords && nanos > 0) {
      const double taken = nanos / 1e6 / words;
      _millis_per_word = taken > _millis_per_word ? taken : _millis_per_word + (taken - _millis_per_word) / 4;
    }
  }
  // Called with the duration of the pause without its transfer.
  void paused(jlong nanos) {
    _rest_millis += (nanos / 1e6 - _rest_millis) / 2;
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2TRANSFERBUDGET_HPP
