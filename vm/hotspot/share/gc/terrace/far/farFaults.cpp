/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.hpp"
#include "gc/g1/g1ConcurrentMarkThread.hpp"
#include "gc/g1/g1ConcurrentRefine.hpp"
#include "gc/terrace/far/farFaults.hpp"
#include "memory/iterator.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.hpp"
#include "runtime/vmThread.hpp"

class FarThreadFaults : public ThreadClosure {
  julong _sum;

 public:
  FarThreadFaults() : _sum(0) {}

  virtual void do_thread(Thread* thread) {
    if (thread != NULL && thread->osthread() != NULL) {
      _sum += FarFaults::of_thread((int)thread->osthread()->thread_id());
    }
  }

  julong sum() const { return _sum; }
};

FarFaults::FarFaults() {
  for (int i = 0; i < GroupCount; i++) {
    _count[i] = 0;
  }
}

void FarFaults::take() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  FarThreadFaults concurrent;
  heap->concurrent_mark()->threads_do(&concurrent);
  concurrent.do_thread(heap->concurrent_mark()->cm_thread());
  FarThreadFaults pause;
  heap->workers()->threads_do(&pause);
  pause.do_thread(VMThread::vm_thread());
  FarThreadFaults refinement;
  heap->concurrent_refine()->threads_do(&refinement);
  const julong all = of_process();
  _count[Concurrent] = concurrent.sum();
  _count[Pause] = pause.sum();
  _count[Refinement] = refinement.sum();
  const julong collector = _count[Concurrent] + _count[Pause] + _count[Refinement];
  _count[Program] = all > collector ? all - collector : 0;
}
