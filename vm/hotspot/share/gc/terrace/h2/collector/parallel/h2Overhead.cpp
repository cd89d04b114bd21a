/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/parallel/parallelScavengeHeap.hpp"
#include "gc/parallel/psOldGen.hpp"
#include "gc/parallel/psYoungGen.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/h2/collector/parallel/h2Overhead.hpp"
#include "gc/terrace/terrace_globals.hpp"


H2Overhead H2Overhead::_of_h2;

void H2Overhead::begin_collection() {
  _used_before = ParallelScavengeHeap::heap()->used();
  _freed_in_h2 = 0;
}

void H2Overhead::freed(uint regions) {
  _freed_in_h2 += regions * H2RegionSize;
}

bool H2Overhead::has_freed_little() const {
  const ParallelScavengeHeap* const heap = ParallelScavengeHeap::heap();
  const size_t capacity = heap->old_gen()->max_gen_size() + heap->young_gen()->max_gen_size();
  const size_t used = heap->used();
  return (_used_before - MIN2(_used_before, used)) + _freed_in_h2 < capacity / 100 * GCHeapFreeLimit;
}
