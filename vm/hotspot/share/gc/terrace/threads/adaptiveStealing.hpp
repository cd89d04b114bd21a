/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_ADAPTIVESTEALING_HPP
#define SHARE_GC_TERRACE_THREADS_ADAPTIVESTEALING_HPP

#include "gc/shared/taskqueue.hpp"
#include "gc/terrace/threads/liveWorkers.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "memory/allStatic.hpp"

#if INCLUDE_TERRACE

// Adaptive and semi-random stealing (Suo et al., EuroSys '18, section 4.2). A worker without work remembers its
// last victim, like HotSpot's own algorithm. It reads only the queues of live workers, and gives up after twice as
// many failures as there are other live workers.
//
// Beyond the paper, a failed thief reads the sizes of all queues. It tries a non-empty queue next. If all are
// empty, it gives up immediately, because further attempts would fail. Queues of threads outside the live set also
// count here. Shenandoah hands out queues of workers that do not take part, and the coordinator may have a queue of
// its own. The terminator is unchanged and independent of this class.
class AdaptiveStealing : public AllStatic {
  template <class QueueSet>
  static uint size_of(TerraceGangWorker* thief, QueueSet* set, uint victim) {
    thief->counts().queue_reads++;
    return set->queue(victim)->size();
  }

  template <class QueueSet, class Task>
  static bool take(TerraceGangWorker* thief, QueueSet* set, uint victim, Task& task) {
    thief->counts().queue_reads++;
    return set->queue(victim)->pop_global(task);
  }

  template <class QueueSet>
  static bool is_worth_trying(TerraceGangWorker* thief, QueueSet* set, uint victim) {
    return victim < set->size() && (thief->gang()->live()->contains(victim) || size_of(thief, set, victim) > 0);
  }

  template <class QueueSet, class Task>
  static bool steal_from_live(TerraceGangWorker* thief, QueueSet* set, uint limit, Task& task) {
    const LiveWorkers* const live = thief->gang()->live();
    const uint self = thief->id_in_task();
    auto* const own = set->queue(self);
    uint first = limit;
    if (own->is_last_stolen_queue_id_valid() && is_worth_trying(thief, set, own->last_stolen_queue_id())) {
      first = own->last_stolen_queue_id();
    } else {
      first = live->pick((uint)own->next_random_queue_id(), limit, self, self);
    }
    if (first == limit) {
      own->invalidate_last_stolen_queue_id();
      return false;
    }
    uint victim = first;
    const uint second = live->pick((uint)own->next_random_queue_id(), limit, self, first);
    if (second != limit && size_of(thief, set, second) > size_of(thief, set, first)) {
      victim = second;
    }
    if (size_of(thief, set, victim) > 0 && take(thief, set, victim, task)) {
      own->set_last_stolen_queue_id(victim);
      return true;
    }
    own->invalidate_last_stolen_queue_id();
    return false;
  }

  // Returns the index of a non-empty queue, or the thief's own index if all are empty. Thieves begin at random
  // queues.
  template <class QueueSet>
  static uint find_work(TerraceGangWorker* thief, QueueSet* set) {
    const uint self = thief->id_in_task();
    const uint first = (uint)set->queue(self)->next_random_queue_id() % set->size();
    for (uint i = 0; i < set->size(); i++) {
      const uint victim = (first + i) % set->size();
      if (victim != self && size_of(thief, set, victim) > 0) {
        return victim;
      }
    }
    return self;
  }

  template <class QueueSet, class Task>
  static bool steal_adaptively(TerraceGangWorker* thief, QueueSet* set, Task& task) {
    const uint self = thief->id_in_task();
    const uint live = thief->gang()->live()->count();
    if (live > 1) {
      thief->counts().steal_attempts++;
      if (steal_from_live(thief, set, set->size(), task)) {
        return true;
      }
    }
    for (uint failures = 1; failures < MAX2(2 * live, 4u) - 2; failures++) {
      const uint victim = find_work(thief, set);
      if (victim == self) {
        return false;
      }
      thief->counts().steal_attempts++;
      if (take(thief, set, victim, task)) {
        set->queue(self)->set_last_stolen_queue_id(victim);
        return true;
      }
    }
    return false;
  }

 public:
  // Called by GenericTaskQueueSet::steal. attempt() is one attempt of HotSpot's own algorithm.
  template <class QueueSet, class Task, class Attempt>
  static bool steal(QueueSet* set, uint queue, Task& task, Attempt attempt) {
    TerraceGangWorker* const thief = TerraceGangWorker::current();
    const bool adaptive = thief != NULL && thief->gang()->is_adaptive() && thief->id_in_task() == queue;
    TASKQUEUE_STATS_ONLY(set->queue(queue)->stats.record_steal_attempt());
    bool found = false;
    if (adaptive) {
      found = steal_adaptively(thief, set, task);
    } else {
      for (uint i = 0; i < 2 * set->size() && !found; i++) {
        if (thief != NULL) {
          thief->counts().steal_attempts++;
        }
        found = attempt();
        if (thief != NULL) {
          // HotSpot compares two queues and tries the larger one, if it is not empty. Of two queues it tries the
          // other one.
          thief->counts().queue_reads += set->size() > 2 ? 2 + (found ? 1 : 0) : set->size() - 1;
        }
      }
    }
    if (found) {
      TASKQUEUE_STATS_ONLY(set->queue(queue)->stats.record_steal());
      if (thief != NULL) {
        thief->counts().steals++;
      }
    }
    return found;
  }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_ADAPTIVESTEALING_HPP
