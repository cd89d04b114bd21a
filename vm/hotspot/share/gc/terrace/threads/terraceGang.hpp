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

// The counts of one worker during one task.
struct TerraceGangCounts {
  uintx steal_attempts;
  uintx steals;
  uintx queue_reads;          // accesses to the queue of another worker, for its size or a task
  uintx offers;               // offers of termination
  jlong termination_nanos;
  uintx claims;               // claimed subtasks, such as groups of roots
  uintx migrations;           // changes of the processor during the task
  jlong waited_nanos;         // for a processor, if measured
  int   processor;            // processor at the start, or -1 if the worker took no part or the system does not say

  TerraceGangCounts() : steal_attempts(0), steals(0), queue_reads(0), offers(0), termination_nanos(0), claims(0), migrations(0),
                        waited_nanos(0), processor(-1) {}
  void add(const TerraceGangCounts& other);
};

// A member of a gang while it works on a task.
class TerraceGangWorker {
  friend class TerraceGang;
  friend class TerraceGangTask;
  friend class TerraceTermination;

  DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
  TerraceGang*      _gang;
  Semaphore*        _start;
  uint              _next_id;         // of this thread in the next task
  uint              _id_in_task;
  TerraceGangCounts _counts;
  DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, sizeof(TerraceGangCounts));

  static THREAD_LOCAL TerraceGangWorker* _current;

  void initialize(TerraceGang* gang, uint id);

 public:
  // The worker of the calling thread, or NULL if it does not work on a task of a TerraceGang.
  static TerraceGangWorker* current() { return _current; }

  TerraceGang* gang() const           { return _gang; }
  uint id_in_task() const             { return _id_in_task; }
  TerraceGangCounts& counts()         { return _counts; }

  // Claims one of the subtasks, for SequentialSubTasksDone, which counts claimed subtasks. taken has a bit for each
  // subtask. With stable ids, a worker first claims the subtasks that belong to its id, then others. So if all
  // workers behave as before, each claims the same subtasks in each collection.
  static bool claim(uint subtasks, volatile uint* claimed, volatile uint64_t* taken, uint& subtask);
};

// The extension of a WorkGang that Terrace's flags request. It has ids that stay with their threads, the set of
// live workers, and counts.
class TerraceGang : public CHeapObj<mtGC> {
  friend class TerraceGangTask;
  friend class TerraceGangWorker;

  const char* const  _name;
  const bool         _is_adaptive;
  const bool         _has_stable_ids;
  TerraceGangWorker* _workers;
  LiveWorkers* const _live;
  GangBinding* const _binding;        // NULL if the threads are not bound
  uint               _created;        // workers that were created
  uint               _at_task;        // workers that take part in the task
  bool               _is_measured;    // whether to take measurements that need system calls

  static bool        _is_enabled;
  static jlong       _totals[];

  TerraceGang(const char* name, uint max_workers, GangBinding* binding);

  uint processors_used() const;
  void log(const char* task, const TerraceGangCounts& sum) const;

 public:
  // The totals have the order of the constants in GCThreads.java.
  static const uint TotalCount = 7;

  // The total of all gangs since the start of the VM.
  static jlong total(uint i);

  // Whether a flag requests it.
  static bool is_requested();
  static bool is_enabled()            { return _is_enabled; }
  // Returns NULL if no flag requests it. collects is false for gangs that mark concurrently or do other work.
  static TerraceGang* create(const char* name, uint max_workers, bool collects);

  bool is_adaptive() const            { return _is_adaptive; }
  bool has_stable_ids() const         { return _has_stable_ids; }
  LiveWorkers* live() const           { return _live; }
  uint workers_at_task() const        { return _at_task; }
  // Says that threads 0 to count - 1 exist.
  void set_created(uint count)        { _created = count; }

  // Called by the coordinator. Returns true if it has woken the workers that take part.
  bool start(uint workers);
  void finish(const char* task);

  // Called by a worker that waits for a task, and returns its id in the task. Returns false if ids are assigned in
  // order of arrival.
  bool await(uint& id);
};

// Exists while a worker works on a task.
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

// Exists while a worker is in the termination protocol.
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
