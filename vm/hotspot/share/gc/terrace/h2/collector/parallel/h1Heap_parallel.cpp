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
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/parallel/psYoungGen.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"

static H1Heap::Space as_space(const MutableSpace* space) {
  return { space->bottom(), space->top(), space->end() };
}

MemRegion H1Heap::reserved() {
  return ParallelScavengeHeap::heap()->reserved_region();
}

WorkGang* H1Heap::workers() {
  return &ParallelScavengeHeap::heap()->workers();
}

uint H1Heap::active_workers() {
  return ParallelScavengeHeap::heap()->workers().active_workers();
}

uint H1Heap::major_collections() {
  return PSParallelCompact::total_invocations();
}

size_t H1Heap::max_old_bytes() {
  return ParallelScavengeHeap::old_gen()->max_gen_size();
}

size_t H1Heap::used_old_bytes() {
  return ParallelScavengeHeap::old_gen()->used_in_bytes();
}

size_t H1Heap::max_young_bytes() {
  return ParallelScavengeHeap::young_gen()->max_gen_size();
}

H1Heap::Space H1Heap::old_space() {
  return as_space(ParallelScavengeHeap::old_gen()->object_space());
}

H1Heap::Space H1Heap::eden_space() {
  return as_space(ParallelScavengeHeap::young_gen()->eden_space());
}

bool H1Heap::is_in_old(const void* p) {
  return ParallelScavengeHeap::old_gen()->is_in(p);
}

void H1Heap::objects_do(ObjectClosure* cl) {
  ParallelScavengeHeap::young_gen()->object_iterate(cl);
  ParallelScavengeHeap::old_gen()->object_iterate(cl);
}
