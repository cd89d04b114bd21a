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
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2LivenessOfRegions.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"

H2LivenessOfRegions::H2LivenessOfRegions(uint region_count) {
  H2Dependencies::of_h2().initialize(region_count);
  H2Synchronizers::initialize(region_count);
}

void H2LivenessOfRegions::opened(H2Region* head) {
  H2Dependencies::of_h2().open(H2Heap::index_of_region(head));
  H2Cards::of_h2().null_slices().opened(MemRegion(H2Heap::bottom_of(head), H2Heap::end_of(head)));
}

void H2LivenessOfRegions::closed(H2Region* head) {
  const uint first = H2Heap::index_of_region(head);
  H2Dependencies::of_h2().close(first, !head->is_live());
  for (uint i = 0; i < head->run_length(); i++) {
    H2Synchronizers::closed(first + i);
  }
}
