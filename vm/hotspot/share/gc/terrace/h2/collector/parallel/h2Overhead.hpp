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

#include "utilities/globalDefinitions.hpp"

// Extends the limit on the overhead of collections (UseGCOverheadLimit) to two heaps. Upstream
// checks how much of H1 is free. With H2, H1 may have free space that cannot be used, for example
// if an array fits nowhere, while each allocation costs a major collection. So the limit also
// checks the result of the collection. It counts the bytes freed in H1, moved out of H1, and freed
// in H2.
class H2Overhead {
  static H2Overhead _of_h2;

  size_t _used_before;
  size_t _freed_in_h2;

  NONCOPYABLE(H2Overhead);

 public:
  H2Overhead() : _used_before(0), _freed_in_h2(0) {}

  static H2Overhead& of_h2() { return _of_h2; }

  // Called around a major collection.
  void begin_collection();
  void freed(uint regions);
  // To be called after compaction. Returns whether less than GCHeapFreeLimit percent of H1 were
  // freed.
  bool has_freed_little() const;
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2OVERHEAD_HPP
