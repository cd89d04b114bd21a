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
class H2DeepMarking {
  class Pause;

  // An object, because a pointer to it would be read for each reference.
  static H2DeepMarking _of_h2;

  H2DeepMarkingTrigger _trigger;
  Pause*               _pause;       // NULL: this collection does not mark through H2
  jlong                _ended;       // end of the last marking, in nanoseconds; 0: none
  size_t               _ended_words; // words in use then

  NONCOPYABLE(H2DeepMarking);

  H2DeepMarking() : _pause(NULL), _ended(0), _ended_words(0) {}

  static H2MarkingRuns& runs()          { return H2MarkingRuns::current(); }
  bool begin(bool may_go_on);
  void followed(size_t words);
  size_t follow_run(uint head, H1MarkWorker* worker);
  size_t follow_part(uint index, H1MarkWorker* worker);
  size_t rescan(uint index, H1MarkWorker* worker);
  void log_ahead() const;

 public:
  static H2DeepMarking& of_h2()         { return _of_h2; }

  // Requests a marking in the next major collection. Called at a safepoint.
  void request()                        { _trigger.request(); }
  // Whether the next collection marks through H2. Called at the end of a collection.
  bool is_due_next() const              { return _trigger.is_due_next(); }
  // Called before marking, after liveness was reset.
  void begin_if_due(const H2DeepMarkingTrigger::Collection& collection);
  bool is_active() const                { return _pause != NULL; }
  // The time when the last marking through H2 ended (0: none), and the bytes in use then.
  jlong ended_at() const                { return _ended; }
  size_t ended_bytes() const            { return _ended_words * HeapWordSize; }
  // Whether p is an address in the bitmaps.
  static bool is_in_marks(const void* p) { return runs().contains(p); }

  // Called by any number of workers.
  static void mark(oop obj)             { runs().mark(obj); }
  static bool is_marked(const void* obj) { return runs().is_marked(obj); }
  void follow(H1MarkWorker* worker);
  // The number of tasks that workers can take.
  uint queued_count() const;

  // Ends the marking. Called after marking, and after dead regions were freed. goal_millis limits the time that
  // moving objects adds to the pause. If it is 0, there is no goal.
  void finish(WorkGang* workers, uint freed, uintx goal_millis);
  void transfer_failed()                { _trigger.transfer_failed(); }
  // Called at the end of a transfer. free_before: the number of free regions before it.
  void transferred(uint free_before) { _trigger.transferred(free_before); }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKING_HPP
