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
#include "gc/terrace/threads/liveWorkers.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "logging/log.hpp"
#include "logging/logStream.hpp"
#include "runtime/nonJavaThread.hpp"
#include "runtime/os.hpp"
#include "runtime/semaphore.hpp"

THREAD_LOCAL TerraceGangWorker* TerraceGangWorker::_current = NULL;
bool TerraceGang::_is_enabled = false;

void TerraceGangCounts::add(const TerraceGangCounts& other) {
  steal_attempts += other.steal_attempts;
  steals += other.steals;
  offers += other.offers;
  termination_nanos += other.termination_nanos;
  claims += other.claims;
}

void TerraceGangWorker::initialize(TerraceGang* gang, uint id) {
  _gang = gang;
  _start = new Semaphore();
  _next_id = id;
  _id_in_task = id;
  ::new (&_counts) TerraceGangCounts();
}

TerraceGang* TerraceGang::create(const char* name, uint max_workers) {
  if (!GCAdaptiveStealing && !GCStableWorkers && !GCTaskStatistics) {
    return NULL;
  }
  _is_enabled = true;
  return new TerraceGang(name, max_workers);
}

TerraceGang::TerraceGang(const char* name, uint max_workers) :
  _name(name), _is_adaptive(GCAdaptiveStealing), _has_stable_ids(GCStableWorkers), _workers(NEW_C_HEAP_ARRAY(TerraceGangWorker, max_workers, mtGC)),
  _live(new LiveWorkers(max_workers)), _created(0), _at_task(0) {
  for (uint i = 0; i < max_workers; i++) {
    _workers[i].initialize(this, i);
  }
}

bool TerraceGang::start(uint workers) {
  _at_task = workers;
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
  // A thread that could not be created leaves its part to the others.
  for (uint i = 0; i < workers; i++) {
    _workers[i % _created]._start->signal();
  }
  return true;
}

bool TerraceGang::await(uint& id) {
  if (!_has_stable_ids) {
    return false;
  }
  TerraceGangWorker* const self = &_workers[WorkerThread::current()->id()];
  self->_start->wait();
  id = self->_next_id;
  self->_next_id += _created;
  return true;
}

void TerraceGang::finish(const char* task) {
  LogTarget(Debug, gc, task, stats) lt;
  if (!lt.is_enabled()) {
    return;
  }
  TerraceGangCounts sum;
  for (uint i = 0; i < _at_task; i++) {
    sum.add(_workers[i]._counts);
  }
  if (sum.offers == 0 && sum.claims == 0) {
    return;
  }
  LogStream ls(lt);
  ls.print("%s, %s: %u workers, steal attempts " UINTX_FORMAT ", failed " UINTX_FORMAT
           ", termination offers " UINTX_FORMAT ", %.3fms, subtasks",
           _name, task, _at_task, sum.steal_attempts, sum.steal_attempts - sum.steals, sum.offers,
           sum.termination_nanos / 1e6);
  for (uint i = 0; i < _at_task; i++) {
    ls.print(" " UINTX_FORMAT, _workers[i]._counts.claims);
  }
  ls.cr();
}

TerraceGangTask::TerraceGangTask(TerraceGang* gang, uint id_in_task) {
  if (gang != NULL) {
    TerraceGangWorker::_current = &gang->_workers[id_in_task];
  }
}

void TerraceTermination::enter() {
  if (_worker->_gang->is_adaptive()) {
    _worker->_gang->live()->leave(_worker->_id_in_task);
  }
  _start = os::javaTimeNanos();
}

// Termination ends a phase; the task may go on with another one.
void TerraceTermination::leave() {
  _worker->_counts.offers++;
  _worker->_counts.termination_nanos += os::javaTimeNanos() - _start;
  if (_worker->_gang->is_adaptive()) {
    _worker->_gang->live()->join(_worker->_id_in_task);
  }
}
