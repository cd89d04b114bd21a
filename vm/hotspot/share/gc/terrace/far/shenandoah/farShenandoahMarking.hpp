/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHMARKING_HPP
#define SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHMARKING_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/farSummarySet.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahSummaries.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class FarFaults;
class FarSweep;
class JavaThread;
class outputStream;
class ShenandoahMarkTask;

// Defers the scan of objects on absent pages in Shenandoah's concurrent marking. When a reference to such an object is
// found, the object is marked in the bitmap as usual, without being read. A task for its scan is not done, but the object
// gets a bit (FarDeferred). A worker that has nothing else to do drains deferred objects (FarSweep).
//
// A bit stands for the task of an object that was reached strongly for the first time. Other tasks are not deferred: parts
// of arrays, objects that are only reachable from finalizers, and objects whose liveness was already counted. So each
// object is deferred at most once, and its liveness is counted once, by the worker that scans it.
//
// No task of an object on a page that is marked from its summary is done (FarShenandoahSummaries).
//
// Nothing moves or is reclaimed while objects are deferred. Objects are deferred only between begin and end, by workers of
// the concurrent phase. If the phase is cancelled, the bits remain. A degenerated collection that continues the marking
// drains them in its pause. A collection that marks from the start drops them (clear).
class FarShenandoahMarking : public AllStatic {
  template <typename Scan> class Visitor;

  static FarSweep*     _sweep;         // NULL while far memory is off
  static volatile bool _marking;
  static volatile bool _checking;      // tasks may have to be left out
  static volatile bool _deferring;     // set while marking, once a page is absent
  static bool          _has_left;      // a cancelled marking may have left deferred objects
  static size_t        _absent_at_begin;

  static const char* allocate();
  static void count_faults(FarFaults* faults);
  static void refresh();
  // Returns false if no marking runs.
  static bool refresh_if_marking();
  static bool defer(const ShenandoahMarkTask* task);
  static void drop_left();
  static void end_checking();
  template <typename Scan> static void drain_slow(uint worker_id, bool is_concurrent, Scan scan);

 public:
  // Called when the heap has been created.
  static void initialize();

  // Called before a task of marking. Returns true if the task must not be done, because its object is deferred, or its page is
  // marked from its summary.
  static bool defers(const ShenandoahMarkTask* task);

  // Called by a worker that has nothing else to do. scan(task) does the task of a deferred object. If it returns true,
  // deferred work existed, and the worker must call it again before it offers termination.
  template <typename Scan> static bool drain(uint worker_id, bool is_concurrent, Scan scan) {
    if (FarSummarySet::has_pending()) {
      FarShenandoahSummaries::drain(worker_id, is_concurrent);
      return true;
    }
    if (!FarDeferred::has_pages()) {
      return false;
    }
    drain_slow(worker_id, is_concurrent, scan);
    return true;
  }

  // Called by the thread that coordinates the collection, around the concurrent phase of marking.
  static void begin();
  static void end();
  // Called in the pause that has completed the marking.
  static void finish();
  // Called in a pause that marks from the start.
  static void clear();

  // Prints the report of the command Terrace.far. It asks the system which pages are absent.
  static void print_on(outputStream* out, JavaThread* thread);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHMARKING_HPP
