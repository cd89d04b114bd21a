/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARMARKING_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARMARKING_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSummarySet.hpp"
#include "gc/terrace/far/g1/farMarkBitmaps.hpp"
#include "gc/terrace/far/g1/farSummaryMarking.hpp"
#include "oops/oopsHierarchy.hpp"

class FarRequests;
class FarSweep;
class G1CMBitMap;
class G1CMTask;
class G1ConcurrentMark;
class JavaThread;
class outputStream;

// Defers the marking of objects on absent pages in G1's concurrent marking (after MemLiner, Wang et
// al., OSDI '22, section 4). Instead of being marked or scanned, such an object gets a bit in one
// table, and its page gets a bit in another (FarDeferred). A worker that has nothing else to do drains deferred
// objects (FarSweep).
//
// A set bit means that the object must be marked, if it is not, and scanned. Marking an object
// twice has no effect, so a needless bit only costs time.
//
// No deferred object is lost. A worker that sets a bit drains before it offers termination, and a
// worker that takes a page drains again. If marking restarts after an overflow of the mark stack,
// the bits are kept. If a full collection aborts marking, they are dropped. A deferred humongous
// object may be reclaimed by a young collection. Its address is then at or above the region's top
// at mark start, and is skipped.
//
// A page that was not written since the previous cycle is marked from its summary, without being
// read (FarSummaryMarking). An idle worker processes such pages first.
//
// Objects are deferred only between begin_roots and end, and only by concurrent workers, never in a
// pause.
class FarMarking : public AllStatic {
  class Visitor;

  static volatile bool   _active;      // set when a page is absent or will be marked from its summary
  static volatile bool   _marking;
  static bool            _rebuilding;
  static bool            _has_cycle;   // a cycle with marking has begun (G1 also has cycles that mark nothing)

  static size_t          _absent_at_begin;
  static FarSweep*       _sweep;
  // NULL while far memory is off.
  static G1ConcurrentMark* volatile _cm;
  // Set if far memory may turn itself on and has not done so yet.
  static G1ConcurrentMark* _waiting;

  static const char* allocate();
  static bool turn_on(G1ConcurrentMark* cm);
  static bool turn_on_if_short();
  static size_t free_regions();
  static void refresh();
  // Returns false if no marking runs.
  static bool refresh_if_marking();
  static void adapt(bool is_swapped);
  static void activate_if_absent();

  static bool defer(uint worker_id, const void* obj, bool is_marked);
  static bool drain_slow(G1CMTask* task);
  static bool steps_over_slow(G1CMTask* task, HeapWord* limit);
  static bool continues_slow();

 public:
  // Hooks of marking. obj lies below the top at mark start of its region. They return true if the
  // caller must leave the object alone, because it is processed later.
  static bool defers_mark(uint worker_id, oop obj) {
    if (!_active) {
      return false;
    }
    const size_t page = FarPages::page_of(cast_from_oop<void*>(obj));
    if (FarSummarySet::contains(page)) {
      FarSummarySet::reach(page);
      return true;
    }
    return FarPages::is_absent(page) && defer(worker_id, cast_from_oop<void*>(obj), false);
  }
  // Like defers_mark, for an object that is already marked.
  static bool defers_scan(uint worker_id, oop obj) {
    if (!_active) {
      return false;
    }
    const size_t page = FarPages::page_of(cast_from_oop<void*>(obj));
    return FarSummarySet::contains(page) ||
           (FarPages::is_absent(page) && defer(worker_id, cast_from_oop<void*>(obj), true));
  }
  // Scans a part of a large array, except its pages that are marked from their summaries. Returns
  // false if it has scanned nothing.
  static bool scans(G1CMTask* task, objArrayOop array, MemRegion part) {
    return _active && FarSummaryMarking::scan(task, array, part);
  }
  // Whether marking must not read the memory at addr. Its page is absent, or marked from its
  // summary.
  static bool is_absent(const void* addr) {
    return _active && (FarPages::is_absent_at(addr) || FarSummarySet::contains(FarPages::page_of(addr)));
  }

  // A marking step that ends within a region continues after the object at the finger. If that
  // object is absent, its size is unknown, so the step continues at the next address where an
  // object may start.
  static bool steps_over(G1CMTask* task, HeapWord* limit) { return _active && steps_over_slow(task, limit); }

  // Called by a worker that has nothing else to do. If it returns true, deferred work existed, and
  // the worker must call it again before it offers termination.
  static bool drain(G1CMTask* task)       { return _active && drain_slow(task); }

  // Called when all workers have terminated. If it returns true, it has deferred objects, and the
  // workers must run again.
  static bool continues()                 { return _active && continues_slow(); }

  // Called when the heap has been created. With UseFarMemory, far memory is on from here. Unless
  // the flag was set to false, far memory turns itself on at the first marking that begins while a
  // part of the process is swapped out and its memory is limited.
  static void initialize(G1ConcurrentMark* cm, MemRegion first_bitmap, MemRegion second_bitmap);

  // Called by the thread that coordinates marking, before root regions are scanned, around marking and
  // at the end of a cycle.
  static void begin_roots();
  static void begin();
  static void end();
  static void end_cycle();

  // Called at the end of a cycle instead of clearing a mark bitmap, which would touch all its
  // pages. Returns false if the caller must clear it.
  static bool discards(const G1CMBitMap* bitmap) { return _cm != NULL && FarMarkBitmaps::discards(bitmap, _cm); }

  static bool is_rebuilding()             { return _rebuilding; }
  // Prints the report of the command Terrace.far. It asks the system which pages are absent.
  static void print_on(outputStream* out, JavaThread* thread);

  // The prefetch requests of a concurrent worker.
  static FarRequests& requests_of(uint worker_id);
  // Called when the requested pages have been processed.
  static void end_request(uint worker_id);

  // Whether all regions take part in rebuilding remembered sets, so that summaries are created.
  static bool needs_rebuild();

};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_G1_FARMARKING_HPP
