/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2PREFETCHER_HPP
#define SHARE_GC_TERRACE_H2_H2PREFETCHER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"

class Monitor;

// Brings clusters of H2 from the device into memory while the program is still
// busy with others: a program that waits for one page fault after the other
// uses neither its processors nor the device.
class H2Prefetcher : public ConcurrentGCThread {
  static const uint   QueueLength = 64;
  // Of one cluster. What was prefetched must still be there when it is read.
  static const size_t MaxBytes = 64 * M;

  static H2Prefetcher* _instance;

  Monitor*  _lock;
  // Guarded by _lock; a ring. The oldest request gives way: by now the program
  // has read it, or does.
  MemRegion _queue[QueueLength];
  uint      _head;
  uint      _count;

  H2Prefetcher();
  void add(MemRegion piece);
  MemRegion take();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void initialize();
  // Returns at once. The caller is in the VM, so that no collection can free
  // or move the object.
  static void prefetch(oop obj);
};

#endif // SHARE_GC_TERRACE_H2_H2PREFETCHER_HPP
