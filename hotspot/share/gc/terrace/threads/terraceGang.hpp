/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_TERRACEGANG_HPP
#define SHARE_GC_TERRACE_THREADS_TERRACEGANG_HPP

#include "gc/terrace/terraceHooks.hpp"
#include "memory/allocation.hpp"
#include "memory/padded.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

class LiveWorkers;
class Semaphore;
class TerraceGang;

// Counts of one worker during one task.
struct TerraceGangCounts {
  uintx steal_attempts;
  uintx steals;
  uintx offers;               // of termination
  jlong termination_nanos;
  uintx claims;               // of subtasks: roots and the like

  TerraceGangCounts() : steal_attempts(0), steals(0), offers(0), termination_nanos(0), claims(0) {}
  void add(const TerraceGangCounts& other);
};

// A member of a gang while it works at a task.
class TerraceGangWorker {
  friend class TerraceGang;
  friend class TerraceGangTask;
  friend class TerraceTermination;

  DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
  TerraceGang*      _gang;
  Semaphore*        _start;
  uint              _next_id;         // of this thread in the task to come
  uint              _id_in_task;
  TerraceGangCounts _counts;
  DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, sizeof(TerraceGangCounts));

  static THREAD_LOCAL TerraceGangWorker* _current;

  void initialize(TerraceGang* gang, uint id);

 public:
  // Of this thread; NULL if it is at no task of a gang that Terrace looks after.
  static TerraceGangWorker* current() { return _current; }

  TerraceGang* gang() const           { return _gang; }
  uint id_in_task() const             { return _id_in_task; }
  TerraceGangCounts& counts()         { return _counts; }

  static void count_claim() {
    if (_current != NULL) {
      _current->_counts.claims++;
    }
  }
};

// What Terrace adds to a WorkGang, if one of its flags asks for it: ids that
// stay with their threads, the set of live workers, counts.
class TerraceGang : public CHeapObj<mtGC> {
  friend class TerraceGangTask;

  const char* const  _name;
  const bool         _is_adaptive;
  const bool         _has_stable_ids;
  TerraceGangWorker* _workers;
  LiveWorkers* const _live;
  uint               _created;        // workers
  uint               _at_task;        // ditto, told to take part in the task

  static bool        _is_enabled;

  TerraceGang(const char* name, uint max_workers);

 public:
  static bool is_enabled()            { return _is_enabled; }
  // NULL if no flag asks for it.
  static TerraceGang* create(const char* name, uint max_workers);

  bool is_adaptive() const            { return _is_adaptive; }
  LiveWorkers* live() const           { return _live; }
  // Threads 0 to count - 1 exist.
  void set_created(uint count)        { _created = count; }

  // By the coordinator. True if it has woken those who take part.
  bool start(uint workers);
  void finish(const char* task);

  // By a worker that waits for a task: gives its id in the task. False if ids
  // go to who comes first.
  bool await(uint& id);
};

// While a worker is at a task.
class TerraceGangTask : public StackObj {
 public:
  TerraceGangTask(TerraceGang* gang, uint id_in_task);
  ~TerraceGangTask()                  { TerraceGangWorker::_current = NULL; }
};

// While a worker is in the termination protocol.
class TerraceTermination : public StackObj {
  TerraceGangWorker* const _worker;
  jlong                    _start;

  void enter();
  void leave();

 public:
  TerraceTermination() : _worker(TerraceGangWorker::current()) {
    if (_worker != NULL) {
      enter();
    }
  }
  ~TerraceTermination() {
    if (_worker != NULL) {
      leave();
    }
  }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_TERRACEGANG_HPP
