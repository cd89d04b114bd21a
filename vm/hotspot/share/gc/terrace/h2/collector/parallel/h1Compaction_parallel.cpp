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
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/terrace/h2/collector/h1Compaction.hpp"

size_t H1Compaction::unit_of(const HeapWord* p) {
  return PSParallelCompact::summary_data().addr_to_region_idx(p);
}

MemRegion H1Compaction::unit(size_t index) {
  return MemRegion(PSParallelCompact::summary_data().region_to_addr(index), ParallelCompactData::RegionSize);
}

// The inverse of ParallelCompactData::add_obj.
void H1Compaction::subtract(size_t index, size_t words, IsMoving is_moving) {
  ParallelCompactData::RegionData* const r = PSParallelCompact::summary_data().region(index);
  if (r->partial_obj_size() != 0 && is_moving(r->partial_obj_addr())) {
    words -= r->partial_obj_size();
    r->set_partial_obj_size(0);
    r->set_partial_obj_addr(NULL);
  }
  r->set_live_obj_size(r->live_obj_size() - words);
}

size_t H1Compaction::live_words() {
  const ParallelCompactData& summary = PSParallelCompact::summary_data();
  size_t words = 0;
  for (size_t i = 0; i < summary.region_count(); i++) {
    words += summary.region(i)->data_size();
  }
  return words;
}

// The address is that of the compaction region that contains p.
HeapWord* H1Compaction::new_place(HeapWord* p) {
  const MutableSpace* const old = PSParallelCompact::space(PSParallelCompact::old_space_id);
  if (p == NULL || p <= old->bottom()) {
    return old->bottom();
  }
  ParallelCompactData& summary = PSParallelCompact::summary_data();
  if (p >= summary.region_align_up(old->top())) {
    return new_old_top();
  }
  return MIN2(summary.addr_to_region_ptr(p)->destination(), new_old_top());
}

HeapWord* H1Compaction::new_old_top() {
  return PSParallelCompact::new_top(PSParallelCompact::old_space_id);
}

HeapWord* H1Compaction::new_eden_top() {
  return PSParallelCompact::new_top(PSParallelCompact::eden_space_id);
}

bool H1Compaction::empties_young() {
  for (uint id = PSParallelCompact::eden_space_id; id < PSParallelCompact::last_space_id; id++) {
    const PSParallelCompact::SpaceId space = PSParallelCompact::SpaceId(id);
    if (PSParallelCompact::new_top(space) != PSParallelCompact::space(space)->bottom()) {
      return false;
    }
  }
  return true;
}
