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
#include "gc/shared/taskTerminator.hpp"
#include "gc/shared/taskqueue.inline.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/threads/liveWorkers.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/nonJavaThread.hpp"
#include "runtime/os.hpp"
#include "utilities/autoRestore.hpp"
#include "unittest.hpp"

static const uint MaxWorkers = 130;    // more than two words

TEST(LiveWorkers, those_told_to_take_part_are_live) {
  LiveWorkers live(MaxWorkers);
  const uint counts[] = { 0, 1, 63, 64, 65, 128, MaxWorkers };
  for (uint count : counts) {
    live.reset(count);
    ASSERT_EQ(count, live.count());
    for (uint i = 0; i < MaxWorkers; i++) {
      ASSERT_EQ(i < count, live.contains(i)) << "worker " << i << " of " << count;
    }
  }
}

TEST(LiveWorkers, pick_finds_every_live_worker_and_no_other) {
  LiveWorkers live(MaxWorkers);
  live.reset(MaxWorkers);
  for (uint i = 0; i < MaxWorkers; i++) {
    if (i % 3 != 0) {
      live.leave(i);
    }
  }
  bool found[MaxWorkers] = {};
  for (uint i = 0; i < 200000; i++) {
    const uint worker = live.pick((uint)os::random(), MaxWorkers, 0, 63);
    ASSERT_LT(worker, MaxWorkers);
    ASSERT_TRUE(live.contains(worker));
    found[worker] = true;
  }
  for (uint i = 0; i < MaxWorkers; i++) {
    ASSERT_EQ(i % 3 == 0 && i != 0 && i != 63, found[i]) << "worker " << i;
  }
}

TEST(LiveWorkers, pick_respects_the_limit) {
  LiveWorkers live(MaxWorkers);
  live.reset(MaxWorkers);
  const uint limits[] = { 1, 2, 63, 64, 65, 129 };
  for (uint limit : limits) {
    for (uint i = 0; i < 1000; i++) {
      ASSERT_LE(live.pick((uint)os::random(), limit, 0, 0), limit);
    }
  }
  ASSERT_EQ(1u, live.pick(0, 1, 0, 0)) << "nobody but the thief";
  ASSERT_EQ(1u, live.pick(7, 2, 0, 0));
  ASSERT_EQ(2u, live.pick(7, 2, 0, 1)) << "nobody else";
}

TEST(LiveWorkers, who_joins_again_is_found) {
  LiveWorkers live(4);
  live.reset(4);
  live.leave(1);
  live.leave(2);
  live.leave(3);
  ASSERT_EQ(1u, live.count());
  ASSERT_EQ(4u, live.pick(5, 4, 0, 0));
  live.join(2);
  ASSERT_EQ(2u, live.count());
  ASSERT_EQ(2u, live.pick(5, 4, 0, 0));
}

// Every item with a depth creates items of lower depths. All items start in one queue.
class StealingTask : public AbstractGangTask {
  typedef GenericTaskQueue<size_t, mtGC> Queue;
  typedef GenericTaskQueueSet<Queue, mtGC> QueueSet;

  QueueSet        _set;
  TaskTerminator  _terminator;
  volatile size_t _done;
  volatile size_t _ids;                // one bit per id
  volatile size_t _steals;
  volatile bool   _kept_ids;           // every thread worked with its own id
  volatile bool   _overflowed;

  void process(Queue* queue, size_t depth) {
    Atomic::inc(&_done);
    for (size_t i = 0; i < depth; i++) {
      if (!queue->push(i)) {
        _overflowed = true;
      }
    }
  }

 public:
  StealingTask(uint workers, uint queues, uint owner, size_t depth) :
    AbstractGangTask("Test Stealing"), _set(queues), _terminator(workers, &_set),
    _done(0), _ids(0), _steals(0), _kept_ids(true), _overflowed(false) {
    for (uint i = 0; i < queues; i++) {
      Queue* const queue = new Queue();
      queue->initialize();
      _set.register_queue(i, queue);
    }
    _set.queue(owner)->push(depth);
  }

  ~StealingTask() {
    for (uint i = 0; i < _set.size(); i++) {
      delete _set.queue(i);
    }
  }

  virtual void work(uint id) {
    Atomic::add(&_ids, (size_t)1 << id);
    if (WorkerThread::current()->id() != id) {
      _kept_ids = false;
    }
    Queue* const own = _set.queue(id);
    size_t depth;
    do {
      while (own->pop_local(depth) || _set.steal(id, depth)) {
        process(own, depth);
      }
    } while (!_terminator.offer_termination());
    Atomic::add(&_steals, (size_t)TerraceGangWorker::current()->counts().steals);
  }

  size_t done() const       { return _done; }
  size_t ids() const        { return _ids; }
  size_t steals() const     { return _steals; }
  bool   kept_ids() const   { return _kept_ids; }
  bool   overflowed() const { return _overflowed; }
};

static void run_stealing(bool adaptive, bool stable) {
  WorkGang* gang;                      // its threads never end
  {
    AutoModifyRestore<bool> save_adaptive(GCAdaptiveStealing, adaptive);
    AutoModifyRestore<bool> save_stable(GCStableWorkers, stable);
    AutoModifyRestore<bool> save_statistics(GCTaskStatistics, true);
    gang = new WorkGang("Test Gang", 6, false, false);
    gang->initialize_workers();
  }
  gang->update_active_workers(6);
  size_t steals = 0;
  for (uint round = 0; round < 300; round++) {
    const uint workers = 1 + round % 6;
    // Adaptive stealing also finds items in a queue without a worker. Upstream's stealing may miss
    // them.
    const uint owners = adaptive ? 8 : workers;
    StealingTask task(workers, 8, round % owners, 12);
    gang->run_task(&task, workers);
    ASSERT_FALSE(task.overflowed());
    ASSERT_EQ((size_t)1 << 12, task.done()) << "round " << round;
    ASSERT_EQ(((size_t)1 << workers) - 1, task.ids()) << "round " << round;
    if (stable) {
      ASSERT_TRUE(task.kept_ids()) << "round " << round;
    }
    steals += task.steals();
  }
  ASSERT_GT(steals, 0u);
}

TEST_VM(AdaptiveStealing, everything_is_done_once)           { run_stealing(true, false); }
TEST_VM(AdaptiveStealing, everything_is_done_by_stable_ids)  { run_stealing(true, true); }
TEST_VM(AdaptiveStealing, statistics_alone)                  { run_stealing(false, false); }
TEST_VM(AdaptiveStealing, stable_ids_alone)                  { run_stealing(false, true); }

// Counts how often each subtask is claimed, and how many are claimed by their own worker.
class ClaimingTask : public AbstractGangTask {
  SequentialSubTasksDone _subtasks;
  const uint             _count;
  volatile uint*         _claims;
  volatile size_t        _own;         // subtasks that were claimed by the worker that they belong to

 public:
  ClaimingTask(uint count) :
    AbstractGangTask("Test Claiming"), _subtasks(count), _count(count), _claims(NEW_C_HEAP_ARRAY(volatile uint, count, mtGC)), _own(0) {
    for (uint i = 0; i < count; i++) {
      _claims[i] = 0;
    }
  }
  ~ClaimingTask() {
    FREE_C_HEAP_ARRAY(uint, _claims);
  }

  virtual void work(uint id) {
    const uint workers = TerraceGangWorker::current()->gang()->workers_at_task();
    uint subtask;
    while (_subtasks.try_claim_task(subtask)) {
      ASSERT_LT(subtask, _count);
      Atomic::inc(&_claims[subtask]);
      if (subtask % workers == id) {
        Atomic::inc(&_own);
      }
      os::naked_short_sleep(1);
    }
  }

  uint claims(uint subtask) const { return _claims[subtask]; }
  size_t own() const              { return _own; }
};

TEST_VM(SequentialSubTasksDone, every_subtask_is_claimed_once) {
  for (bool stable : { false, true }) {
    WorkGang* gang;                    // its threads never end
    {
      AutoModifyRestore<bool> save_stable(GCStableWorkers, stable);
      AutoModifyRestore<bool> save_statistics(GCTaskStatistics, true);
      gang = new WorkGang("Test Gang", 3, false, false);
      gang->initialize_workers();
    }
    const uint counts[] = { 0, 1, 5, 63, 64, 65, 100 };
    for (uint count : counts) {
      for (uint workers = 1; workers <= 3; workers++) {
        ClaimingTask task(count);
        gang->run_task(&task, workers);
        for (uint i = 0; i < count; i++) {
          ASSERT_EQ(1u, task.claims(i)) << i << " of " << count;
        }
        // A worker claims its own subtasks until none are left, so a late worker finds fewer. The
        // first worker claims at least its share.
        if (stable && count <= 64) {
          ASSERT_GE(task.own(), (size_t)count / workers) << count << " subtasks, " << workers << " workers";
        }
      }
    }
  }
}
