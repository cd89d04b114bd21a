/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHSUMMARIES_HPP
#define SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHSUMMARIES_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class BitMap;
class FarRegionSummaries;
class FarSweep;
class ShenandoahHeapRegion;
struct FarCounts;

// Summaries of pages under Shenandoah. The update of references creates them (FarShenandoahUpdate), because it reads all
// live pages. Shenandoah has one mark bitmap, which it clears before each marking, so a summary has the starts of the
// objects. Only pages of regular regions have summaries.
//
// When concurrent marking begins, the unwritten pages that are absent, or were at the end of the last cycle, form a set
// (FarSummarySet). A mark task of an object on such a page is not done, but reaches the page. Marking then marks all objects
// of the page and the targets in its summary, and counts their liveness. The set remains until the pause that completes
// marking has ended, so no object of its pages is ever scanned or counted in another way.
//
// If the first task of a page comes from an object that waits for its finalizer, the page is excluded from the set and
// marked as usual. Otherwise its targets would become strongly reachable, and might never be finalized.
//
// The objects of a summary are those that the cycle which created it found alive. After each complete marking, a summary
// remains only if all its objects are marked. So what an object of a summary refers to exists until the next marking has
// ended, even if the object has died meanwhile.
//
// Summaries of a region are dropped when the region becomes empty, and all of them by degenerated and full collections.
class FarShenandoahSummaries : public AllStatic {
  static const int PagesPerDrain = 64;

  static FarSweep* _sweep;             // NULL while far memory is off
  static bool      _has_cycle;         // a concurrent cycle has begun and may have summaries

  static void select_of(ShenandoahHeapRegion* region, BitMap& written);
  static size_t drop_dead(ShenandoahHeapRegion* region, FarRegionSummaries* summaries);
  static void mark(size_t page, uint worker_id, FarCounts& counts);

 public:
  // Called when the heap has been created. Returns false if there is no memory.
  static bool initialize();
  static void set_sweep(FarSweep* sweep) { _sweep = sweep; }

  // Called when concurrent marking begins. may_select: whether marking may use summaries.
  static void begin_marking(bool may_select);
  // Drops everything, in a pause that marks from the start.
  static void drop_all();
  // Called at the end of any collection. is_complete: it has not continued a concurrent one that was cancelled.
  static void end_cycle(bool is_complete, bool is_cancelled);
  // Called when the region becomes empty.
  static void drop(const ShenandoahHeapRegion* region);

  // Marks pages that were reached, until the worker must return to its other work.
  static void drain(uint worker_id, bool is_concurrent);

  // Whether the objects that are marked on a page are those of its summary. The page lies below the top at mark start.
  static bool describes(const FarRegionSummaries* summaries, const ShenandoahHeapRegion* region, size_t page);
  static bool is_stopped(bool is_concurrent);
};

#endif // SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHSUMMARIES_HPP
