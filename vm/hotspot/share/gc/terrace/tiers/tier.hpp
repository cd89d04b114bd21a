/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TIERS_TIER_HPP
#define SHARE_GC_TERRACE_TIERS_TIER_HPP

#include "utilities/globalDefinitions.hpp"

// The place for the pages of a label's objects. The numbers equal those of org.terrace.SecondHeap.Tier.
//
//   Auto  no hint. It is found out which pages can stay in memory, as without tiers
//   Fast  in memory, as far as H2FastSize allows
//   Slow  on the device, except while the program uses the pages
//   Heap  the label's objects do not move to H2. No region has this tier
enum class Tier : uint8_t { Auto, Fast, Slow, Heap };

#endif // SHARE_GC_TERRACE_TIERS_TIER_HPP
