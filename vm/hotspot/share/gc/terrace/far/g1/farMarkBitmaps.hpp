/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARMARKBITMAPS_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARMARKBITMAPS_HPP

#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"

class G1CMBitMap;
class G1ConcurrentMark;

// The memory of G1's two mark bitmaps.
class FarMarkBitmaps : public AllStatic {
  static const G1CMBitMap* _first;
  static MemRegion         _memory[2];

 public:
  static void initialize(G1ConcurrentMark* cm, MemRegion first, MemRegion second);
  static bool is_initialized()         { return _first != NULL; }

  // Clears a bitmap by releasing its memory. Returns false if the caller must clear it.
  static bool discards(const G1CMBitMap* bitmap, G1ConcurrentMark* cm);

  // For the mark bitmap of the last complete marking: the heap bytes that one of its pages covers,
  // and its pages for a part of the heap.
  static size_t bytes_per_page();
  static MemRegion pages_of(MemRegion part);
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARMARKBITMAPS_HPP
