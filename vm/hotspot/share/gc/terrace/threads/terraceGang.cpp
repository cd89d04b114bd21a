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
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/threads/gangBinding.hpp"
#include "gc/terrace/threads/liveWorkers.hpp"
#include "gc/terrace/threads/processors.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "logging/log.hpp"
#include "logging/logStream.hpp"
#include "runtime/atomic.hpp"
#include "runtime/nonJavaThread.hpp"
#include "runtime/os.hpp"
#include "runtime/semaphore.hpp"

THREAD_LOCAL TerraceGangWorker* TerraceGangWorker::_current = NULL;
bool TerraceGang::_is_enabled = false;

void TerraceGangCounts::add(const TerraceGangCounts& other) {
  steal_attempts += other.steal_attempts;
  steals += other.steals;
  queue_reads += other.queue_reads;
  offers += other.offers;
  termination_nanos += other.termination_nanos;
  claims += other.claims;
  migrations += other.migrations;
  waited_nanos += other.waited_nanos;
}

void TerraceGangWorker::initialize(TerraceGang* gang, uint id) {
  _gang = gang;
  _start = new Semaphore();
  _next_id = id;
  _id_in_task = id;
  ::new (&_counts) TerraceGangCounts();
}

// Claims the worker's own subtasks first, then those of the next workers.
static bool claim_by_affinity(uint worker, uint workers, uint subtasks, volatile uint64_t* taken, uint& subtask) {
  for (uint i = 0; i < workers; i++) {
    for (uint t = (worker + i) % workers; t < subtasks; t += workers) {
      const uint64_t bit = (uint64_t)1 << t;
      for (uint64_t old = Atomic::load(taken); (old & bit) == 0; old = Atomic::load(taken)) {
        if (Atomic::cmpxchg(taken, old, old | bit) == old) {
          subtask = t;
          return true;
        }
      }
    }
  }
  subtask = subtasks;
  return false;
}

bool TerraceGangWorker::claim(uint subtasks, volatile uint* claimed, volatile uint64_t* taken, uint& subtask) {
  TerraceGangWorker* const self = current();
  bool found;
  if (self != NULL && self->_gang->has_stable_ids() && subtasks <= BitsPerByte * sizeof(*taken)) {
    found = claim_by_affinity(self->_id_in_task, self->_gang->workers_at_task(), subtasks, taken, subtask);
    if (found) {
      Atomic::inc(claimed);
    }
  } else {
    // A coordinator that also works would claim without setting the bits.
    assert(self != NULL || !GCStableWorkers || subtasks > BitsPerByte * sizeof(*taken), "not a worker");
    subtask = Atomic::load(claimed);
    if (subtask < subtasks) {
      subtask = Atomic::fetch_and_add(claimed, 1u);
    }
    found = subtask < subtasks;
  }
  if (found && self != NULL) {
    self->_counts.claims++;
  }
  return found;
}

bool TerraceGang::is_requested() {
  return GCAdaptiveStealing || GCStableWorkers || GCTaskStatistics || GangBinding::is_requested();
}

TerraceGang* TerraceGang::create(const char* name, uint max_workers, bool collects) {
  // ZGC's threads are not bound, because they mostly run concurrently with the program.
  GangBinding* const binding = collects && !UseZGC ? GangBinding::create(name, max_workers) : NULL;
  if (!is_requested()) {
    return NULL;
  }
  _is_enabled = true;
  return new TerraceGang(name, max_workers, binding);
}

TerraceGang::TerraceGang(const char* name, uint max_workers, GangBinding* binding) :
  _name(name), _is_adaptive(GCAdaptiveStealing), _has_stable_ids(GCStableWorkers), _workers(NEW_C_HEAP_ARRAY(TerraceGangWorker, max_workers, mtGC)),
  _live(new LiveWorkers(max_workers)), _binding(binding), _created(0), _at_task(0), _is_measured(false) {
  for (uint i = 0; i < max_workers; i++) {
    _workers[i].initialize(this, i);
  }
}

bool TerraceGang::start(uint workers) {
  _at_task = workers;
  _is_measured = LogTarget(Debug, gc, task, stats)::is_enabled();
  if (_binding != NULL) {
    _binding->begin_task();
  }
  if (_is_adaptive) {
    _live->reset(workers);
  }
  for (uint i = 0; i < workers; i++) {
    ::new (&_workers[i]._counts) TerraceGangCounts();
    _workers[i]._next_id = i;
  }
  if (!_has_stable_ids) {
    return false;
  }
  // If a thread could not be created, the other threads take its part.
  for (uint i = 0; i < workers; i++) {
    _workers[i % _created]._start->signal();
  }
  return true;
}

bool TerraceGang::await(uint& id) {
  const uint thread = WorkerThread::current()->id();
  if (_binding != NULL) {
    _binding->enter(thread);
  }
  if (!_has_stable_ids) {
    return false;
  }
  TerraceGangWorker* const self = &_workers[thread];
  self->_start->wait();
  id = self->_next_id;
  self->_next_id += _created;
  return true;
}

jlong TerraceGang::_totals[TerraceGang::TotalCount];

// Concurrently working gangs add to the same totals.
void TerraceGang::finish(const char* task) {
  TerraceGangCounts sum;
  for (uint i = 0; i < _at_task; i++) {
    sum.add(_workers[i]._counts);
  }
  const jlong values[TotalCount] = { 1, (jlong)sum.steal_attempts, (jlong)(sum.steal_attempts - sum.steals), (jlong)sum.offers,
                                     sum.termination_nanos, (jlong)sum.claims, (jlong)sum.migrations };
  for (uint i = 0; i < TotalCount; i++) {
    Atomic::add(&_totals[i], values[i]);
  }
  if (_is_measured && (sum.offers != 0 || sum.claims != 0)) {
    log(task, sum);
  }
}

jlong TerraceGang::total(uint i) {
  return Atomic::load(&_totals[i]);
}

uint TerraceGang::processors_used() const {
  ProcessorSet set;
  for (uint i = 0; i < _at_task; i++) {
    if (_workers[i]._counts.processor >= 0) {
      set.add((uint)_workers[i]._counts.processor);
    }
  }
  return set.count();
}

void TerraceGang::log(const char* task, const TerraceGangCounts& sum) const {
  LogTarget(Debug, gc, task, stats) lt;
  LogStream ls(lt);
  ls.print("%s, %s: %u workers, steal attempts " UINTX_FORMAT ", failed " UINTX_FORMAT
           ", queue reads " UINTX_FORMAT ", termination offers " UINTX_FORMAT ", %.3fms, processors %u, migrations " UINTX_FORMAT ", waited %.3fms, subtasks",
           _name, task, _at_task, sum.steal_attempts, sum.steal_attempts - sum.steals, sum.queue_reads, sum.offers,
           sum.termination_nanos / 1e6, processors_used(), sum.migrations, sum.waited_nanos / 1e6);
  for (uint i = 0; i < _at_task; i++) {
    ls.print(" " UINTX_FORMAT, _workers[i]._counts.claims);
  }
  ls.cr();
}

static jlong waited() {
  jlong run;
  jlong wait;
  return Processors::run_and_wait(0, run, wait) ? wait : 0;
}

TerraceGangTask::TerraceGangTask(TerraceGang* gang, uint id_in_task) : _waited_before(0) {
  if (gang == NULL) {
    return;
  }
  TerraceGangWorker* const worker = &gang->_workers[id_in_task];
  TerraceGangWorker::_current = worker;
  worker->_counts.processor = Processors::current();
  if (gang->_is_measured) {
    _waited_before = waited();
  }
}

void TerraceGangTask::leave() {
  TerraceGangWorker* const worker = TerraceGangWorker::current();
  if (Processors::current() != worker->_counts.processor) {
    worker->_counts.migrations++;
  }
  if (worker->_gang->_is_measured) {
    worker->_counts.waited_nanos = waited() - _waited_before;
  }
  TerraceGangWorker::_current = NULL;
}

void TerraceTermination::enter() {
  if (_worker->_gang->is_adaptive()) {
    _worker->_gang->live()->leave(_worker->_id_in_task);
  }
  _start = os::javaTimeNanos();
}

// Termination ends a phase, and the task may continue with another one.
void TerraceTermination::leave() {
  _worker->_counts.offers++;
  _worker->_counts.termination_nanos += os::javaTimeNanos() - _start;
  if (_worker->_gang->is_adaptive()) {
    _worker->_gang->live()->join(_worker->_id_in_task);
  }
}
