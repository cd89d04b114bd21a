/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2PAGER_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2PAGER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"

class Monitor;

// A thread that reads clusters of H2 into memory in advance, and pages out clusters that the
// program dismissed, unless they must stay. A program that waits for one page fault after the other
// uses neither its processors nor the device.
//
// H2PagerThreads threads share a queue. A device serves many reads at once, but each thread waits
// for its own read.
class H2Pager : public ConcurrentGCThread {
  static const uint   QueueLength = 256;
  // The limit for one cluster. Prefetched pages must still be present when the program reads them.
  static const size_t MaxPrefetchBytes = 64 * M;

  enum Action { Prefetch, PageOut };

  struct Request {
    MemRegion _piece;
    Action    _action;
  };

  // The requests that no thread has taken.
  struct Queue : public CHeapObj<mtGC> {
    Monitor* const _lock;
    // A ring, protected by _lock. If it is full, a prefetch request replaces the oldest request,
    // which the program has probably read already.
    Request        _ring[QueueLength];
    uint           _head;
    uint           _count;

    Queue();
    void add(MemRegion piece, Action action);
    Request take();
  };

  static Queue* _queue;

  H2Pager(uint number);
  template <typename Function> static void request(oop obj, size_t max_bytes, Function for_piece);
  Request take();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void initialize();
  // Both return immediately. The caller is in the VM, so no collection can free or move the object.
  static void prefetch(oop obj);
  static void dismiss(oop obj);
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2PAGER_HPP
