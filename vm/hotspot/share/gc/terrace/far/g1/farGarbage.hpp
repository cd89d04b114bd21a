/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARGARBAGE_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARGARBAGE_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"

// Releases the memory of free regions while the process swaps. The system would otherwise write
// their garbage to the swap device, and read it again before it is overwritten. Pages that are
// still in memory can be reused at no cost.
class FarGarbage : public AllStatic {
  // Reset after each collection, because a region may be used and freed again between two collections.
  static FarBits _given;               // released regions; a bit is cleared when its region is seen in use
  static uint    _collections;         // number of collections when _given was last cleared

  static bool give(uint index);

 public:
  // Returns false if there is no memory.
  static bool initialize();
  static void give_free_regions();
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARGARBAGE_HPP
