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

#include "gc/terrace/tiers/tierMap.hpp"
#include "memory/allStatic.hpp"

// The heat of a region measures how much it is used. It is the fraction of its pages that were accessed in a window
// of time, as a running mean in which the last window counts one quarter. A heat of 0 means no accesses, and 1
// means that all pages are accessed in each window.
//
// If a program reads its data in passes of k windows, the heat of a region is at most h = 1/4 / (1 - (3/4)^k),
// after the window in which it was read. It is at least c = h * (3/4)^(k-1), before the next read, so h - 1/4 = c *
// 3/4. So regions that are read equally often never displace each other, wherever the pass is. A region that is
// read in only one window displaces nothing.
class TierHeat : public AllStatic {
  static constexpr float LastWindow = 0.25f;

 public:
  static float after(float heat, float part)        { return heat + LastWindow * (part - heat); }
  // The heat before any window was sampled. Each window removes a quarter of the hint's effect.
  static float of_hint(Tier hint)                   { return hint == Tier::Fast ? 1.0f : 0.0f; }
  static bool  takes_room(float heat, float from)   { return heat > 2 * from + LastWindow; }
  static bool  takes_free_room(float heat)          { return takes_room(heat, 0); }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERHEAT_HPP
