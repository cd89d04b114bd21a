/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERHEAT_HPP
#define SHARE_GC_TERRACE_TIERS_TIERHEAT_HPP

#include "gc/terrace/tiers/tier.hpp"
#include "memory/allStatic.hpp"

// The heat of a region measures how often it is used. It is the mean fraction of its pages that were accessed in a
// window. All regions have windows of the same length, which is short (TierWindow), so heat follows the frequency of
// accesses. The mean is over all windows at first. Later a new window has a fixed weight, so that old ones fade.
//
// Heat is an estimate. Of n windows with heat h, about h * n saw an access, and the variance of the mean is at most
// h / n. A region displaces another one if it is hotter by a quarter, and by three standard deviations of the
// difference. So regions that are used equally do not change places by chance. Regions that are read in passes do not
// either. Their heat is high after the pass and low before it, and this difference is smaller than three deviations
// for each length of a pass (test_tierMonitoring).
class TierHeat : public AllStatic {
  static constexpr float Surplus = 1.25f;
  static constexpr float Deviations = 3;
  static constexpr float LeastSeen = 3;

 public:
  // A run must have been sampled so often in its tier before it may move.
  static const uint LeastWindows = 8;
  // The hint of a label counts as this number of windows.
  static const uint HintWindows = 4;
  static constexpr float LeastWeight = 1.0f / 512;
  static constexpr float MostWeight = 1.0f / 8;

  // windows includes the last one.
  static float after(float heat, float part, uint windows, float weight) {
    return heat + MAX2(weight, 1.0f / windows) * (part - heat);
  }
  // The number of windows that a mean with this weight is as good as.
  static uint windows_after(uint windows, float weight) {
    return MIN2(windows + 1, (uint)(2 / weight));
  }
  static float of_hint(Tier hint)                   { return hint == Tier::Fast ? 1.0f : 0.0f; }

  static bool takes_room(float heat, uint windows, float from, uint from_windows) {
    const float more = heat - Surplus * from;
    const float variance = heat / MAX2(windows, 1u) + Surplus * Surplus * from / MAX2(from_windows, 1u);
    return more > 0 && more * more > Deviations * Deviations * variance;
  }
  // Data that is read once takes no room. Room that nothing needs may go to the wrong region.
  static bool takes_free_room(float heat, uint windows) {
    return heat * windows >= LeastSeen;
  }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERHEAT_HPP
