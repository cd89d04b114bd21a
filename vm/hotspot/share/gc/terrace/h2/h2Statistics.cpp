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
#include "gc/terrace/h2/h2AheadMarker.hpp"
#include "gc/terrace/h2/h2Heap.hpp"
#include "gc/terrace/h2/h2Statistics.hpp"
#include "gc/terrace/h2/h2Tags.hpp"
#include "gc/terrace/h2/h2Waits.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "runtime/atomic.hpp"

volatile jlong H2Statistics::_counters[CounterCount];

void H2Statistics::add(Counter c, jlong delta) {
  Atomic::add(&_counters[c], delta);
}

jlong H2Statistics::get(Counter c) {
  switch (c) {
    case CapacityBytes: return (jlong)H2Heap::capacity();
    case UsedBytes:     return (jlong)H2Heap::used();
    case RegionsInUse:  return H2Heap::region_count() - H2Heap::free_count();
    case RegionsTotal:  return H2Heap::region_count();
    case RegionBytes:   return (jlong)H2RegionSize;
    case TaggedRoots:   return H2Tags::count();
    case DueBytes:      return -1;
    case AheadObjects:  return (jlong)H2AheadMarker::all_followed_objects();
    case WaitNanos:
    case UnplacedWaitNanos:
      return H2Waits::is_active() ? Atomic::load(&_counters[c]) : -1;
    case Samples:       return TierPlacer::is_monitored() ? Atomic::load(&_counters[c]) : -1;
    default:            return Atomic::load(&_counters[c]);
  }
}
