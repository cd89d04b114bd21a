/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2OVERHEAD_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2OVERHEAD_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Extends the limit on the overhead of collections (UseGCOverheadLimit) to two heaps. Upstream
// checks how much of H1 is free. With H2, H1 may have free space that cannot be used, for example
// if an array fits nowhere, while each allocation costs a major collection. So the limit also
// checks the result of the collection. It counts the bytes freed in H1, moved out of H1, and freed
// in H2.
class H2Overhead : public AllStatic {
  static size_t _used_before;
  static size_t _freed_in_h2;

 public:
  // Called around a major collection.
  static void begin_collection();
  static void freed(uint regions);
  // To be called after compaction. Returns whether less than GCHeapFreeLimit percent of H1 were
  // freed.
  static bool has_freed_little();
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2OVERHEAD_HPP
