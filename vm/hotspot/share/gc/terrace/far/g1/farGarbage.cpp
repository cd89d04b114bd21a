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
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/g1/farGarbage.hpp"
#include "logging/log.hpp"
#include "runtime/mutexLocker.hpp"
#include "utilities/bitMap.inline.hpp"

FarBits FarGarbage::_given;
uint    FarGarbage::_collections = 0;

bool FarGarbage::initialize() {
  return _given.allocate(G1CollectedHeap::heap()->max_regions());
}

// Regions are freed only in pauses, which wait for the suspendible thread set. They are allocated
// in pauses or under the Heap_lock. A thread that waits for a pause may own that lock, so do not
// block on it.
bool FarGarbage::give(uint index) {
  SuspendibleThreadSetJoiner no_pause;
  if (!Heap_lock->try_lock()) {
    return false;
  }
  HeapRegion* const region = G1CollectedHeap::heap()->region_at_or_null(index);
  const bool is_given = region != NULL && region->is_free() &&
                        FarPages::free(FarPages::page_of(region->bottom()), FarPages::page_of(region->end()));
  Heap_lock->unlock();
  return is_given;
}

void FarGarbage::give_free_regions() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  const uint count = heap->max_regions();
  const uint collections = heap->total_collections();
  if (collections != _collections) {
    _given.clear_all();
    _collections = collections;
  }
  uint given = 0;
  for (uint i = 0; i < count; i++) {
    HeapRegion* const region = heap->region_at_or_null(i);
    if (region == NULL || !region->is_free()) {
      _given.clear_bit(i);
    } else if (!_given.at(i) && give(i)) {
      _given.set_bit(i);
      given++;
    }
  }
  if (given > 0) {
    log_debug(gc, far)("Released the memory of %u free regions", given);
  }
}
