/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_H2_PAGING_H2WAITS_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2WAITS_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "memory/allocation.hpp"
#include "utilities/growableArray.hpp"

class JavaThread;
class Monitor;
class Mutex;

// A thread that estimates by samples how long threads of the program wait for pages of H2, label
// by label.
//
// It takes a sample every 50 ms. Threads of the program that sleep outside of a system call wait
// for a page. The sampler interrupts a random one of them, as the flight recorder does. The signal
// arrives after the page, but before the instruction is repeated. The operand of that instruction
// determines the label. The result counts for all threads that waited at that time. Waits in
// pauses, and in system calls that access H2, are not measured.
class H2Waits : public ConcurrentGCThread {
 public:
  struct Label {
    jlong label;
    jlong nanos;
  };

 private:
  static H2Waits*          _instance;          // NULL: waits are not known

  Mutex* const             _lock;
  H2LabelMap<jlong>* const _nanos;             // by label; guarded by _lock
  Monitor* const           _monitor;
  uint                     _first;             // the thread with which the next sample begins
  uint                     _random;

  H2Waits();
  bool wait_for_next();
  void sample(jlong nanos);
  void resolve(JavaThread* thread, uintptr_t pc, jlong nanos);
  void add(jlong label, jlong nanos);

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // Starts sampling, unless the kernel does not report the states of threads.
  static void start();
  static bool is_active()                      { return _instance != NULL; }

  // The wait time of a label since the start of the VM, even if it has no regions any more. Called only if
  // is_active().
  static jlong nanos_of(jlong label);
  // Appends the wait times of all labels, in any order.
  static void labels(GrowableArray<Label>* result);
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2WAITS_HPP
