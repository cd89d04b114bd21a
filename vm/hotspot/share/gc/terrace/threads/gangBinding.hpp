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

// Keeps the threads of a gang on the processors that a GCThreadPlacement
// chooses. All of it is done by a watcher thread, ten times a second while there
// are tasks: so the GC threads lose no time, and it is seen when the
// system changes what may be used (cpusets, processors taken away).
class GangBinding : public CHeapObj<mtGC> {
  class Watcher;

  struct Thread {
    volatile int number;   // in the system; 0 before it first waits for a task
    bool         is_placed;
    jlong        run;      // nanoseconds when last judged
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
  // By the flag.
  static bool is_valid();
  static bool is_requested();
  // NULL if not requested, or the system lacks what it takes.
  static GangBinding* create(const char* gang, uint max_threads);

  // By the thread itself, before every task.
  void enter(uint thread) {
    if (_threads[thread].number == 0) {
      enter_first(thread);
    }
  }
  // By the coordinator. Tasks of one gang follow each other.
  void begin_task();
  bool has_new_task() const           { return Atomic::load(&_tasks) != _tasks_seen; }

  // In a child process that a thread of this one has made, before it runs another
  // program (OnError): the processor of a GC thread is not for that.
  static void free_child();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_GANGBINDING_HPP
