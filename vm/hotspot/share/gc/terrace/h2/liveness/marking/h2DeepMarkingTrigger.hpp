/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKINGTRIGGER_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKINGTRIGGER_HPP

#include "gc/shared/gcCause.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarkingPolicy.hpp"
#include "gc/terrace/h2/liveness/marking/h2GarbageBound.hpp"
#include "utilities/globalDefinitions.hpp"

// Decides whether a major collection marks through H2 (H2DeepMarking). It asks the policies with
// the state of the collection and of H2, and tells them the outcome.
class H2DeepMarkingTrigger {
 public:
  // The collection for which the trigger decides.
  struct Collection {
    GCCause::Cause cause;
    bool  is_last_resort;
    bool  is_too_large;       // as the last resort: the failed allocation does not fit in H1, whatever H2 keeps alive there
    uintx goal_millis;        // for the time that moving objects adds to the pause. 0: no goal
  };

 private:
  H2DeepMarkingPolicy _policy;
  H2GarbageBound      _garbage_bound;
  H2ReadingTime       _reading_time;
  bool                _is_requested;
  bool                _is_garbage_due; // the last collection deferred a marking for garbage
  uint                _collections;

  H2DeepMarkingPolicy::Heap heap_now();
  H2DeepMarkingPolicy::Cause cause_now(const Collection& collection);
  bool may_have_much_garbage(const H2DeepMarkingPolicy::Heap& heap, uintx goal_millis);
  bool is_at_interval_next() const;

 public:
  H2DeepMarkingTrigger() : _is_requested(false), _is_garbage_due(false), _collections(0) {}

  // Requests a marking in the next major collection. Called at a safepoint.
  void request()                        { _is_requested = true; }
  bool is_requested() const             { return _is_requested; }
  // A marking for garbage that the next collection does, because it may begin concurrently.
  bool is_garbage_due() const           { return _is_garbage_due; }
  void set_garbage_due(bool value)      { _is_garbage_due = value; }

  // Why this collection marks through H2, or None. Called once by each major collection. Logs the reason.
  H2DeepMarkingPolicy::Reason reason(const Collection& collection);

  // Whether the next collection marks through H2. At the end of a collection, is_due_next() is
  // exact. At its begin, may_be_due_next() is an estimate.
  bool is_due_next() const              { return is_at_interval_next() || _is_garbage_due || _policy.is_due_next(); }
  bool may_be_due_next() const;

  // What happened. Regions are counted, and times are in nanoseconds.
  void transfer_failed()                { _policy.transfer_failed(); }
  void transferred(uint free_before);
  void collected(bool has_marked, uint freed, uint free);
  void ended(jlong nanos, size_t words_before, size_t reachable_words, size_t words);
  // Whether the last marking freed enough to be worth its cost.
  bool has_gained() const               { return _policy.has_gained(); }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2DEEPMARKINGTRIGGER_HPP
