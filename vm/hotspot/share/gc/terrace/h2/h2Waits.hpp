/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_H2_H2WAITS_HPP
#define SHARE_GC_TERRACE_H2_H2WAITS_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/h2LabelMap.hpp"
#include "memory/allocation.hpp"
#include "utilities/growableArray.hpp"

class JavaThread;
class Monitor;
class Mutex;

// How long threads of the program wait for pages of H2, label by label: an
// estimate by samples.
//
// Twenty times a second a thread of the VM looks for threads of the
// program that the kernel has put to sleep outside of a system call: they wait
// for a page. It interrupts one of them, at random, as the flight recorder does;
// the signal arrives when the page has, and before the instruction is tried
// again, whose operand then tells the label. What was found for one stands for
// all that waited at that time. Pauses, and system calls that access H2, are not
// seen.
class H2Waits : public ConcurrentGCThread {
 public:
  struct Label {
    jlong label;
    jlong nanos;
  };

 private:
  static Mutex*                _lock;
  static H2LabelMap<jlong>*    _nanos;         // of labels; guarded by _lock
  static H2Waits*              _instance;

  Monitor* _monitor;
  uint     _first;             // of the threads to be looked at next
  uint     _random;

  H2Waits();
  bool wait_for_next();
  void sample(jlong nanos);
  void resolve(JavaThread* thread, uintptr_t pc, jlong nanos);
  static void add(jlong label, jlong nanos);

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // Where the kernel tells nothing of threads, there is no sampling.
  static void start();
  static bool is_active()                      { return _instance != NULL; }

  // Of a label since the VM started, whether or not it has regions by now.
  static jlong nanos_of(jlong label);
  // In any order.
  static void labels(GrowableArray<Label>* result);
};

#endif // SHARE_GC_TERRACE_H2_H2WAITS_HPP
