/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKING_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKING_HPP

#include "gc/terrace/h2/liveness/marking/h2DeepMarkingTrigger.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

class H1MarkWorker;
class WorkGang;

// The marking phase of a major collection that also traces the objects of H2 one by one. It is
// rare, but needed, because liveness by regions keeps too much garbage in the long run. It has
// two effects:
//
//   - A run of regions without a reachable object is freed, even if garbage refers to it.
//   - Garbage in a live run no longer keeps objects of H1, class loaders or other runs
//     alive. Its references dangle, so nothing may follow them (H2LiveMap).
//
// The marking also determines the dependencies and class loaders of runs anew.
//
// H2AheadMarker may have set marks concurrently before the pause.
class H2DeepMarking : public AllStatic {
  class Pause;

  static H2DeepMarkingTrigger _trigger;
  static Pause*               _pause;       // NULL: this collection does not mark through H2
  static jlong                _ended;       // end of the last marking, in nanoseconds; 0: none
  static size_t               _ended_words; // words in use then

  static H2MarkingRuns& runs()          { return H2MarkingRuns::current(); }
  static bool begin(bool may_go_on);
  static size_t follow_run(uint head, H1MarkWorker* worker);
  static size_t follow_part(uint index, H1MarkWorker* worker);
  static size_t look_again(uint index, H1MarkWorker* worker);
  static void log_ahead();

 public:
  // Requests a marking in the next major collection. Called at a safepoint.
  static void request()                 { _trigger.request(); }
  // Whether the next collection marks through H2. Called at the end of a collection.
  static bool is_due_next()             { return _trigger.is_due_next(); }
  // Called before marking, after liveness was reset.
  static void begin_if_due(const H2DeepMarkingTrigger::Collection& collection);
  static bool is_active()               { return _pause != NULL; }
  // The time when the last marking through H2 ended (0: none), and the bytes in use then.
  static jlong ended_at()               { return _ended; }
  static size_t ended_bytes()           { return _ended_words * HeapWordSize; }
  // Whether p is an address in the bitmaps.
  static bool is_in_marks(const void* p) { return runs().contains(p); }

  // Called by any number of workers.
  static void mark(oop obj)             { runs().mark(obj); }
  static bool is_marked(const void* obj) { return runs().is_marked(obj); }
  static void follow(H1MarkWorker* worker);
  // The number of tasks that workers can take.
  static uint queued_count();

  // Ends the marking. Called after marking, and after dead regions were freed. goal_millis limits the time that
  // moving objects adds to the pause. If it is 0, there is no goal.
  static void finish(WorkGang* workers, uint freed, uintx goal_millis);
  static void transfer_failed()         { _trigger.transfer_failed(); }
  // Called at the end of a transfer. free_before: the number of free regions before it.
  static void transferred(uint free_before) { _trigger.transferred(free_before); }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKING_HPP
