/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHEVACUATION_HPP
#define SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHEVACUATION_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahSummaries.hpp"
#include "memory/allStatic.hpp"
#include "runtime/atomic.hpp"
#include "runtime/safepoint.hpp"
#include "utilities/globalDefinitions.hpp"

class FarShenandoahUpdate;
class FarSweep;
class ShenandoahHeapRegion;
class outputStream;

// Reads absent pages for Shenandoah's evacuation and its update of references, and decides whether a cycle does them.
//
// Both phases visit the marked objects of a region in address order. They prefetch the absent pages of a part of the
// region that have marked objects, visit the objects of the part, and page the prefetched pages out again.
//
// The update of references reads all live pages of the heap without a usable summary, however small the collection set is. So a
// concurrent cycle postpones both phases while free memory suffices and the collection set would free much less than the phases
// read. The next cycle decides again. The first cycle that can create summaries does not postpone, because only the update creates
// them. Degenerated and full collections never postpone.
//
// While any part of the process is swapped out, the memory of a region is released when it becomes empty outside of a pause. The
// system would otherwise write garbage to the swap device, and read it again before it is overwritten.
class FarShenandoahEvacuation : public AllStatic {
  friend class FarShenandoahEvacuationTest;

  // Reading a page costs more than the memory that it frees is worth, if so many bytes are read for a byte.
  static const size_t ReadPerFreed = 4;
  // A cycle is postponed if free memory suffices for so many times the allocations during marking. The next one starts
  // when less is left, because it may evacuate, which takes longer than the cycles before.
  static const size_t MarkingsToPostpone = 5;
  static const size_t MarkingsToStart = 3;

  static FarSweep*     _sweep;         // NULL while far memory is off
  static volatile bool _is_active;     // pages of the process may be absent after the current marking
  static volatile bool _is_swapped;    // a part of the process is
  static bool   _is_postponed;         // in the current collection
  static bool   _was_active;           // in the last collection, which was concurrent and complete
  static bool   _was_postponed;
  static bool   _was_cancelled;
  static size_t _allocated;            // bytes, during the last marking
  static size_t _absent;               // pages at the begin or the end of the current marking, whichever are more
  static size_t _postponed;            // number of cycles
  static size_t _decisions;            // under FarMemoryTorture
  static volatile size_t _released;    // number of regions

  // All in bytes.
  static bool postpones(size_t available, size_t needed, size_t absent, size_t garbage) {
    return available >= needed && absent / ReadPerFreed > garbage;
  }
  // The part of the free memory that the heuristics compare with their thresholds: without the reserve for evacuation, and
  // without the part of the heap beyond SoftMaxHeapSize. If both sides did not compare the same, a cycle that is postponed
  // could at once start the next one.
  static size_t available(size_t free, size_t max_capacity, size_t soft_max_capacity) {
    const size_t withheld = max_capacity / 100 * ShenandoahEvacReserve + (max_capacity - soft_max_capacity);
    return free - MIN2(free, withheld);
  }
  // Available bytes that a cycle needs besides the program's allocations.
  static size_t reserve();
  static size_t to_start() { return reserve() + MarkingsToStart * _allocated; }
  static size_t collectable();
  static bool decide(size_t free);
  static void release(ShenandoahHeapRegion* region);

  // Prefetches pages with marked objects from an address on, below limit, except those that the update leaves out. Returns the
  // end of the part that they cover. It is the limit, or the start of a page.
  static HeapWord* ask_ahead(ShenandoahHeapRegion* region, HeapWord* from, HeapWord* limit, const FarShenandoahUpdate* update);
  // Called when the part was visited. gives_back: pages it out again. Evacuation does not, because it writes forwarding
  // pointers there that are read until all references are updated.
  static void end_part(HeapWord* from, HeapWord* to, bool gives_back);

  // update: NULL for an evacuation.
  template <class Closure> static void visit(ShenandoahHeapRegion* region, Closure* closure, HeapWord* limit, FarShenandoahUpdate* update);
  template <class Closure> static void visit_slices(ShenandoahHeapRegion* region, Closure* closure, HeapWord* limit);

 public:
  // Called when the heap has been created. The workers' requests are those of the sweep.
  static void initialize(FarSweep* sweep) { _sweep = sweep; }

  // Visits the marked objects of the region below limit. Returns false and does nothing if the caller must do it.
  template <class Closure> static bool iterates(ShenandoahHeapRegion* region, Closure* objects, HeapWord* limit);
  // Visits the references of these objects.
  template <class Closure> static bool updates(ShenandoahHeapRegion* region, Closure* references, HeapWord* limit);

  // Called in the pause that chooses the collection set. free: bytes that are free without it. If it returns true, the
  // set must remain empty.
  static bool is_postponed(size_t free) { return _is_active && decide(free); }
  // The free memory below which a cycle starts while the heuristics learn, or in any case. threshold: their own.
  static size_t init_threshold(size_t threshold) { return _was_active ? MIN2(threshold, to_start()) : threshold; }
  static size_t min_threshold(size_t threshold)  { return _was_postponed ? MAX2(threshold, to_start()) : threshold; }
  // The average rate of allocations that counts, in bytes per second. The average of the heuristics still contains the time when
  // the program loaded its data, and would start one postponed cycle after the other. After a postponed cycle, the rate is
  // at most that since its start.
  static double average_rate(double rate, size_t allocated, double seconds) {
    return _was_postponed && seconds > 0 ? MIN2(rate, (double)allocated / seconds) : rate;
  }

  // Called when the region becomes empty. Pauses visit all empty regions one after the other, so they release nothing.
  static void recycles(ShenandoahHeapRegion* region) {
    FarShenandoahSummaries::drop(region);
    if (_is_swapped && !SafepointSynchronize::is_at_safepoint()) {
      release(region);
    }
  }
  // Called periodically.
  static void adapt(bool is_swapped);

  // Called by the thread that coordinates collections. At the end of marking. absent: pages at its begin.
  static void begin(bool is_active, size_t absent);
  // At the end of any collection.
  static void end_cycle();

  static void print_on(outputStream* out);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHEVACUATION_HPP
