/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_GANGBINDING_HPP
#define SHARE_GC_TERRACE_THREADS_GANGBINDING_HPP

#include "gc/terrace/threads/gcThreadPlacement.hpp"
#include "gc/terrace/threads/processors.hpp"
#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"

#if INCLUDE_TERRACE

// Binds the threads of a gang to the processors that a GCThreadPlacement chooses. A watcher thread does the work,
// ten times a second while tasks run. So the GC threads lose no time, and changes of the usable processors are
// detected (cpusets, processors that were removed).
class GangBinding : public CHeapObj<mtGC> {
  class Watcher;

  struct Thread {
    volatile int number;   // thread number of the system, or 0 before it first waits for a task
    bool         is_placed;
    jlong        run;      // run and wait times in nanoseconds when it was last judged
    jlong        wait;
  };

  const char* const  _gang;
  const uint         _max_threads;
  const bool         _is_dynamic;
  GCThreadPlacement  _placement;
  Thread*            _threads;
  volatile uint      _tasks;
  uint               _tasks_seen;
  bool               _was_refused;
  ProcessorSet       _allowed;
  jlong              _last_look;
  jlong              _last_process_time;
  jlong*             _last_busy;
  GangBinding*       _next;

  static GangBinding* volatile _first;
  static Watcher*    _watcher;

  GangBinding(const char* gang, uint max_threads, bool is_dynamic);
  ~GangBinding();

  bool update_processors();
  void enter_first(uint thread);
  ProcessorSet wanted(uint thread) const;
  void judge(uint thread);
  void apply(uint thread);
  void look();

 public:
  // Whether the flag GCThreadBinding is valid, and requests a binding.
  static bool is_valid();
  static bool is_requested();
  // Returns NULL if no binding is requested, or the system does not support it.
  static GangBinding* create(const char* gang, uint max_threads);

  // Called by the thread itself, before every task.
  void enter(uint thread) {
    if (_threads[thread].number == 0) {
      enter_first(thread);
    }
  }
  // Called by the coordinator. Tasks of one gang do not overlap.
  void begin_task();
  bool has_new_task() const           { return Atomic::load(&_tasks) != _tasks_seen; }

  // Called in a child process before it runs another program (OnError), so that the program does not inherit the
  // processor of a GC thread.
  static void free_child();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_GANGBINDING_HPP
