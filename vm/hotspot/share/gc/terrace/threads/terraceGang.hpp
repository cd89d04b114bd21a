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

#include "gc/terrace/terraceMacros.hpp"
#include "memory/allocation.hpp"
#include "memory/padded.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

class GangBinding;
class LiveWorkers;
class Semaphore;
class TerraceGang;

// Counts of one worker during one task.
struct TerraceGangCounts {
  uintx steal_attempts;
  uintx steals;
  uintx queue_reads;          // looks at the queue of another: at its size, or for a task
  uintx offers;               // of termination
  jlong termination_nanos;
  uintx claims;               // of subtasks: roots and the like
  uintx migrations;           // to another processor, during the task
  jlong waited_nanos;         // for a processor, if measured
  int   processor;            // on which it began; -1: it took no part, or that is unknown

  TerraceGangCounts() : steal_attempts(0), steals(0), queue_reads(0), offers(0), termination_nanos(0), claims(0), migrations(0),
                        waited_nanos(0), processor(-1) {}
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

  // Claim one of so many subtasks, for SequentialSubTasksDone, which counts those
  // claimed; taken is a bit for each. With stable ids a worker first claims those
  // that are its own by their numbers, then what is left, so that it has the
  // same ones in each collection if all work as before.
  static bool claim(uint subtasks, volatile uint* claimed, volatile uint64_t* taken, uint& subtask);
};

// What Terrace adds to a WorkGang, if one of its flags asks for it: ids that
// stay with their threads, the set of live workers, counts.
class TerraceGang : public CHeapObj<mtGC> {
  friend class TerraceGangTask;
  friend class TerraceGangWorker;

  const char* const  _name;
  const bool         _is_adaptive;
  const bool         _has_stable_ids;
  TerraceGangWorker* _workers;
  LiveWorkers* const _live;
  GangBinding* const _binding;        // NULL if the threads are not bound
  uint               _created;        // workers
  uint               _at_task;        // ditto, told to take part in the task
  bool               _is_measured;    // the task, also by what takes system calls

  static bool        _is_enabled;
  static jlong       _totals[];

  TerraceGang(const char* name, uint max_workers, GangBinding* binding);

  uint processors_used() const;
  void log(const char* task, const TerraceGangCounts& sum) const;

 public:
  // In the order of the constants of GCThreads.java.
  static const uint TotalCount = 7;

  // Of all gangs, since the start.
  static jlong total(uint i);

  // By the flags.
  static bool is_requested();
  static bool is_enabled()            { return _is_enabled; }
  // NULL if no flag asks for it. collects: rather than marks beside the program, or does other work.
  static TerraceGang* create(const char* name, uint max_workers, bool collects);

  bool is_adaptive() const            { return _is_adaptive; }
  bool has_stable_ids() const         { return _has_stable_ids; }
  LiveWorkers* live() const           { return _live; }
  uint workers_at_task() const        { return _at_task; }
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
  jlong _waited_before;

  void leave();

 public:
  TerraceGangTask(TerraceGang* gang, uint id_in_task);
  ~TerraceGangTask() {
    if (TerraceGangWorker::current() != NULL) {
      leave();
    }
  }
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
