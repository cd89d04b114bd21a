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
#include "gc/g1/g1Policy.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/g1/farYoung.hpp"
#include "logging/log.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/os.hpp"

volatile uint FarYoung::_local = 0;
julong FarYoung::_beside = max_julong;

uint FarYoung::regions_with_room() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  // The memory limit of a container, if there is one.
  const julong memory = FLAG_IS_DEFAULT(MaxRAM) ? os::physical_memory() : MIN2(os::physical_memory(), (julong)MaxRAM);
  // The memory of free regions counts as anonymous until the system reclaims it, so an estimate may
  // be too large. The minimum of all estimates is used.
  const julong used = (julong)heap->num_used_regions() * HeapRegion::GrainBytes;
  const julong all = FarPages::anonymous_size();
  _beside = MIN2(_beside, all > used ? all - used : 0);
  return local(memory, _beside, HeapRegion::GrainBytes, heap->max_regions());
}

void FarYoung::log_absent() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  size_t pages = 0;
  size_t absent = 0;
  for (uint i = 0; i < heap->max_regions(); i++) {
    HeapRegion* const region = heap->region_at_or_null(i);
    if (region != NULL && region->is_eden()) {
      const size_t first = FarPages::page_of(region->bottom());
      const size_t end = FarPages::page_of(region->end());
      FarPages::refresh(first, end);
      pages += end - first;
      for (size_t page = FarPages::next_absent(first, end); page < end; page = FarPages::next_absent(page + 1, end)) {
        absent++;
      }
    }
  }
  log_debug(gc, far)("Eden: " SIZE_FORMAT " of " SIZE_FORMAT " pages absent; memory for %u of %u regions", absent, pages, _local,
                     heap->max_regions());
}

// Recomputes the length of the young generation, which G1 otherwise sets at the end of a pause for
// the next one. If eden is already too large, it is collected as soon as it would get another
// region. G1's service thread also computes the length concurrently in this way.
void FarYoung::shorten() {
  G1Policy* const policy = G1CollectedHeap::heap()->policy();
  SuspendibleThreadSetJoiner sts;
  if (policy->use_adaptive_young_list_length()) {
    policy->update_young_list_max_and_target_length();
  }
}

void FarYoung::update(bool is_swapped) {
  const uint before = _local;
  _local = is_swapped ? regions_with_room() : 0;
  if (is_short() && (before == 0 || _local < before)) {
    shorten();
  }
  if (is_swapped && log_is_enabled(Debug, gc, far)) {
    log_absent();
  }
}

uint FarYoung::scaled_slow(uint length) {
  const uint room = _local;            // another thread may change it
  return room == 0 ? length : scaled(length, room, G1CollectedHeap::heap()->num_regions());
}
