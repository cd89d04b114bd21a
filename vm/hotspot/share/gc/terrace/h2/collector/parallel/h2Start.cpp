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
#include "gc/terrace/h2/collector/parallel/h2Start.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2LivenessOfRegions.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/paging/h2PagingOfRegions.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/paging/h2UnusedHeap.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2LockedMemory.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/storage/h2WritebackChecker.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "memory/memRegion.hpp"
#include "memory/virtualspace.hpp"

void H2Start::split(ReservedSpace& whole, size_t h2_size, MemRegion& h1) {
  if (h2_size != 0) {
    H2Heap::heap().reserve((HeapWord*)whole.base(), h2_size);
    whole = whole.last_part(h2_size);
    h1 = MemRegion((HeapWord*)whole.base(), (HeapWord*)whole.end());
  }
}

void H2Start::initialize() {
  H2Heap::heap().initialize(H2ReadModes::are_found_out());
  H2Heap::heap().add_listener(new H2PagingOfRegions(H2Heap::region_count()));
  H2Heap::heap().add_listener(new H2LivenessOfRegions(H2Heap::region_count()));
  H2Marks::initialize();
  H2LiveMap::initialize();
  H2CardPages::initialize();
  H2Cards::initialize();
  H2Owners::initialize();
  H2Transfer::initialize();
  H2UnusedHeap::initialize();
  H2WritebackChecker::start(H2LiveMap::writeback_error);
  H2Unlocker::start();
  H2Waits::start();
  H2AheadMarker::initialize(H2Cards::of_h2().null_slices());
}
