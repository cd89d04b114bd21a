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
#include "gc/shared/collectedHeap.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/collector/parallel/h2DensePrefix.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/bitMap.inline.hpp"

// Dead space below targets is bounded by this percentage of the free space of the old generation, but by no
// less than that percentage of its maximum size.
static const size_t DeadWoodPercentOfFree = 25;
static const size_t MinDeadWoodPercent = 5;

bool H2DensePrefix::_may_extend = false;

void H2DensePrefix::begin_collection(bool last_resort) {
  // Torture exercises both ways.
  const bool tortured = H2Torture != 0 && PSParallelCompact::total_invocations() % 2 == 0;
  _may_extend = !last_resort && !tortured;
}

// Sets the bits of the regions of the compaction that contain targets.
class H2FindTargetsTask : public AbstractGangTask {
  BitMap* const _regions;

 public:
  H2FindTargetsTask(BitMap* regions) : AbstractGangTask("Find targets of H2"), _regions(regions) {}

  virtual void work(uint worker_id) {
    const ParallelCompactData& sd = PSParallelCompact::summary_data();
    H2Cards::of_h2().remembered_targets_do([&](oop target) {
      const size_t region = sd.addr_to_region_idx(cast_from_oop<HeapWord*>(target));
      if (!_regions->at(region)) {
        _regions->par_set_bit(region);
      }
    });
  }
};

static MutableSpace* old_space() {
  return PSParallelCompact::space(PSParallelCompact::old_space_id);
}

// The dead space below a boundary of regions, which complete compaction would reclaim.
static size_t dead_words_below(HeapWord* boundary) {
  const ParallelCompactData& sd = PSParallelCompact::summary_data();
  return pointer_delta(boundary, boundary < old_space()->top() ? sd.addr_to_region_ptr(boundary)->destination()
                                                               : PSParallelCompact::new_top(PSParallelCompact::old_space_id));
}

// Returns 0 if the heap is so full that compaction must be complete.
static size_t dead_words_limit() {
  size_t live = 0;
  for (int id = PSParallelCompact::old_space_id; id < PSParallelCompact::last_space_id; id++) {
    const PSParallelCompact::SpaceId space = PSParallelCompact::SpaceId(id);
    live += pointer_delta(PSParallelCompact::new_top(space), PSParallelCompact::space(space)->bottom());
  }
  const size_t capacity = old_space()->capacity_in_words();
  if (live >= capacity) {
    return 0;
  }
  const size_t max_capacity = ParallelScavengeHeap::heap()->old_gen()->max_gen_size() / HeapWordSize;
  const size_t allowed = MAX2(max_capacity / 100 * MinDeadWoodPercent, (max_capacity - live) / 100 * DeadWoodPercentOfFree);
  return MIN2(allowed, capacity - live);
}

// The prefix may end in the unused part of the space, because its last region is used in part. A filler at
// this end may then cover words of the next region.
static HeapWord* top_for(HeapWord* boundary) {
  HeapWord* const top = old_space()->top();
  return boundary <= top ? top : boundary + CollectedHeap::min_fill_size();
}

// Returns the end of the last region with a target for which the limit permits it, or end if that is
// further up.
static HeapWord* last_end(const BitMap& regions, size_t limit, HeapWord* end) {
  const ParallelCompactData& sd = PSParallelCompact::summary_data();
  HeapWord* boundary = sd.region_align_up(old_space()->top());
  while (boundary > end) {
    if (regions.at(sd.addr_to_region_idx(boundary - 1)) && top_for(boundary) <= old_space()->end() &&
        dead_words_below(boundary) <= limit) {
      return boundary;
    }
    boundary -= ParallelCompactData::RegionSize;
  }
  return end;
}

HeapWord* H2DensePrefix::extend(HeapWord* end, bool& maximum_compaction) {
  const bool is_all = end >= PSParallelCompact::summary_data().region_align_up(old_space()->top());
  const size_t limit = _may_extend && !is_all ? dead_words_limit() : 0;
  if (limit == 0) {
    return end;
  }
  CHeapBitMap regions(PSParallelCompact::summary_data().region_count(), mtGC);
  H2FindTargetsTask task(&regions);
  ParallelScavengeHeap::heap()->workers().run_task(&task);
  H2Cards::of_h2().reset_claims();
  HeapWord* const extended = last_end(regions, limit, end);
  if (extended > end) {
    log_debug(gc, h2)("Compaction leaves " SIZE_FORMAT "K more in place for targets of H2, with " SIZE_FORMAT "K dead of "
                      SIZE_FORMAT "K allowed", pointer_delta(extended, end) * HeapWordSize / K,
                      dead_words_below(extended) * HeapWordSize / K, limit * HeapWordSize / K);
    old_space()->set_top(top_for(extended));
    maximum_compaction = false;
  }
  return extended;
}
