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
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/report/h2Snapshot.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"

jlong H2Snapshot::get(H2Statistics::Counter c) {
  switch (c) {
    case H2Statistics::CapacityBytes: return (jlong)H2Heap::capacity();
    case H2Statistics::UsedBytes:     return (jlong)H2Heap::heap().used();
    case H2Statistics::RegionsInUse:  return H2Heap::region_count() - H2Heap::heap().free_count();
    case H2Statistics::RegionsTotal:  return H2Heap::region_count();
    case H2Statistics::RegionBytes:   return (jlong)H2RegionSize;
    case H2Statistics::TaggedRoots:   return H2Tags::of_h2().count();
    case H2Statistics::DueBytes:      return -1;
    case H2Statistics::AheadObjects:  return (jlong)H2AheadMarker::all_followed_objects();
    case H2Statistics::WaitNanos:
    case H2Statistics::UnplacedWaitNanos:
      return H2Waits::is_active() ? H2Statistics::get(c) : -1;
    case H2Statistics::Samples:       return TierPlacer::is_monitored() ? H2Statistics::get(c) : -1;
    default:                          return H2Statistics::get(c);
  }
}
