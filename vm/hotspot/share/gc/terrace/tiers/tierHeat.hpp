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

// How much regions are used: of their pages the part that was accessed in a window of time, a mean over windows in which the last
// one counts a quarter. 0: not at all; 1: all pages in each window.
//
// The heat of what is read in passes of k windows swings between h = 1/4 / (1 - (3/4)^k), after the window in which it was read,
// and c = h * (3/4)^(k-1), before the next one: h - 1/4 = c * 3/4. So regions that are read equally often never take each other's
// room, wherever the pass is. What is read once, by one window, takes no room at all.
class TierHeat : public AllStatic {
  static constexpr float LastWindow = 0.25f;

 public:
  static float after(float heat, float part)        { return heat + LastWindow * (part - heat); }
  // Before anything was seen. Each window takes away a quarter of what the hint gave.
  static float of_hint(Tier hint)                   { return hint == Tier::Fast ? 1.0f : 0.0f; }
  static bool  takes_room(float heat, float from)   { return heat > 2 * from + LastWindow; }
  static bool  takes_free_room(float heat)          { return takes_room(heat, 0); }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERHEAT_HPP
