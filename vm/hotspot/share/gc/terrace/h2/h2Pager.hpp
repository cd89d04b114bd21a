/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2PAGER_HPP
#define SHARE_GC_TERRACE_H2_H2PAGER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"

class Monitor;

// Brings clusters of H2 from the device into memory while the program is still
// busy with others: a program that waits for one page fault after the other
// uses neither its processors nor the device. And takes those out of memory
// that the program is done with, unless they are to stay.
//
// H2PagerThreads of them share a queue: a device that serves many reads at a time
// needs as many readers, each of which waits for its own.
class H2Pager : public ConcurrentGCThread {
  static const uint   QueueLength = 256;
  // Of one cluster. What was prefetched must still be there when it is read.
  static const size_t MaxPrefetchBytes = 64 * M;

  enum Action { Prefetch, PageOut };

  struct Request {
    MemRegion _piece;
    Action    _action;
  };

  static Monitor* _lock;
  // Guarded by _lock; a ring. When it is full, the oldest request gives way to
  // one to prefetch: by now the program has read it, or does.
  static Request  _queue[QueueLength];
  static uint     _head;
  static uint     _count;

  H2Pager(uint number);
  template <typename Function> static void request(oop obj, size_t max_bytes, Function for_piece);
  static void add(MemRegion piece, Action action);
  Request take();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void initialize();
  // Both return at once. The caller is in the VM, so that no collection can
  // free or move the object.
  static void prefetch(oop obj);
  static void dismiss(oop obj);
};

#endif // SHARE_GC_TERRACE_H2_H2PAGER_HPP
