/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2OVERHEAD_HPP
#define SHARE_GC_TERRACE_H2_H2OVERHEAD_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// What the limit on the overhead of collections (UseGCOverheadLimit) needs to know
// when there are two heaps. Upstream asks how much is free in H1: with H2, room may be
// left there that nothing can use, as in front of an array that fits nowhere, while
// each allocation costs a major collection. So the limit also asks what
// the collection gave: what it freed in H1, moved from there, and freed in H2.
class H2Overhead : public AllStatic {
  static size_t _used_before;
  static size_t _freed_in_h2;

 public:
  // Around a major collection.
  static void begin_collection();
  static void freed(uint regions);
  // After compaction: less than GCHeapFreeLimit percent of H1.
  static bool has_freed_little();
};

#endif // SHARE_GC_TERRACE_H2_H2OVERHEAD_HPP
