/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTTASK_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTTASK_HPP

#include "gc/shared/taskqueue.hpp"
#include "gc/shared/taskTerminator.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectGroups.hpp"
#include "gc/terrace/h2/transfer/selection/h2Selection.hpp"

class H2SelectClosure;

// A selection by several workers. Each of them claims roots or regions first, and then steals
// scan work from others.
class H2SelectTask : public AbstractGangTask {
  class Queues;

  static Queues*  _queues;

  const uint      _worker_count;
  TaskTerminator  _terminator;
  const bool      _may_leave_out;
  HeapWord* const _unhinted_end;        // NULL for tagged roots and slots of H2
  H2WorkerCounts  _counts;

 protected:
  H2Selection&    _selection;

  H2SelectTask(H2Selection& selection, uint worker_count, bool may_leave_out, HeapWord* unhinted_end = NULL);

  virtual void select(H2SelectClosure& cl) = 0;

 public:
  // Called once per VM.
  static void initialize(uint max_workers);

  virtual void work(uint worker_id);
  void run(WorkGang* workers);
};

// Selects the closures of tagged roots. Only a selection with one worker is exact, so that it determines which
// root did not fit.
class H2SelectRootsTask : public H2SelectTask {
  const GrowableArray<H2Tags::Root>& _roots;
  const H2SelectGroups& _groups;
  const int    _end;
  volatile int _claimed;

  int claim();

 protected:
  virtual void select(H2SelectClosure& cl);

 public:
  // For roots in [begin, end).
  H2SelectRootsTask(H2Selection& selection, uint worker_count, const GrowableArray<H2Tags::Root>& roots,
                    const H2SelectGroups& groups, int begin, int end, bool may_leave_out) :
    H2SelectTask(selection, worker_count, may_leave_out), _roots(roots), _groups(groups), _end(end), _claimed(begin) {}

  // All roots before this one were looked at.
  int claimed() const { return _claimed; }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTTASK_HPP
