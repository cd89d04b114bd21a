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
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/h2/paging/h2Residency.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/os.hpp"


// The size of a sample of H2 and of a region. A safepoint waits for a thread that samples.
static const size_t SampledRegions = 64;
static const size_t SampledBytes = 16 * M;

H2Residency* H2Residency::_of_h2 = NULL;

H2Residency::H2Residency(uint region_count) : _of_regions(NEW_C_HEAP_ARRAY(OfRegion, region_count, mtGC)) {
  memset((void*)_of_regions, 0, region_count * sizeof(OfRegion));
  if (H2ResidentLimit != 0) {
    _budget.limit(H2ResidentLimit);
  }
}

H2Residency::OfRegion& H2Residency::of(const H2Region* r) {
  return _of_regions[H2Heap::index_of_region(r)];
}

bool H2Residency::is_short() const {
  const julong memory = os::physical_memory();
  const julong reserve = MAX2((julong)MinReserve, memory / ReserveFraction);
  const julong in_use = (julong)(H2Heap::region_count() - H2Heap::heap().free_count()) * H2RegionSize;
  return _budget.is_limited() || in_use + MaxHeapSize + reserve > memory;
}

void H2Residency::release(const H2Region* r) {
  OfRegion& residency = of(r);
  _budget.drop(residency.kept_bytes);
  residency.kept_bytes = 0;
  residency.passed = false;
  residency.paged_out = false;
}

static size_t used_bytes(const H2Region* r) {
  return pointer_delta(r->top(), H2Heap::bottom_of(r), 1);
}

// Estimates the bytes of H2 in memory from a sample of its regions. Slow regions are ignored.
size_t H2Residency::resident_estimate() {
  const size_t step = (H2Heap::region_count() - H2Heap::heap().free_count()) / SampledRegions + 1;
  size_t heads = 0;
  size_t used = 0;
  size_t sampled = 0;
  size_t resident = 0;
  H2Heap::heap().heads_do([&](H2Region* r) {
    if (TierPlacer::is_enabled() && TierPlacer::tier_of(r) == Tier::Slow) {
      return;
    }
    used += used_bytes(r);
    if (heads++ % step == 0) {
      const size_t bytes = MIN2(used_bytes(r), SampledBytes);
      sampled += bytes;
      resident += H2File::resident((char*)H2Heap::bottom_of(r), bytes);
    }
  });
  return sampled == 0 ? 0 : (size_t)((double)used * resident / sampled);
}

bool H2Residency::stays(MemRegion piece) {
  H2Region* const r = H2Heap::head_of(piece.start());
  OfRegion& residency = of(r);
  residency.passed = true;
  if (!_budget.is_limited() || residency.kept_bytes != 0) {
    return true;
  }
  const size_t bytes = used_bytes(r);
  if (residency.paged_out || !_budget.keep(bytes)) {
    residency.paged_out = true;
    return false;
  }
  residency.kept_bytes = bytes;
  return true;
}

void H2Residency::comes_back(MemRegion piece) {
  H2Region* const r = H2Heap::head_of(piece.start());
  OfRegion& residency = of(r);
  residency.paged_out = false;
  if (!residency.passed || (_budget.is_limited() && residency.kept_bytes == 0)) {
    return;
  }
  residency.passed = false;
  const size_t bytes = MIN2(piece.byte_size(), SampledBytes);
  const size_t missing = bytes - H2File::resident((char*)piece.start(), bytes);
  const bool is_evicted = missing > bytes / 8;
  if (!_budget.is_limited()) {
    if (is_evicted) {
      _budget.limit(resident_estimate());
    }
  } else if (is_evicted) {
    _budget.left(residency.kept_bytes, missing);
    residency.kept_bytes = 0;
  } else {
    _budget.stayed(residency.kept_bytes);
  }
  log_debug(gc, h2)("Residency: " SIZE_FORMAT "K of " SIZE_FORMAT "K missing, " SIZE_FORMAT "M of " SIZE_FORMAT "M kept",
                    missing / K, bytes / K, _budget.kept() / M, _budget.bytes() / M);
}
