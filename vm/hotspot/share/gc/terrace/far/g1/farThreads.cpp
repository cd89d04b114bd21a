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
#include "gc/terrace/far/g1/farThreads.hpp"
#include "runtime/vmThread.hpp"

void FarThreads::count(FarFaults* faults) {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  FarThreadFaults concurrent;
  heap->concurrent_mark()->threads_do(&concurrent);
  concurrent.do_thread(heap->concurrent_mark()->cm_thread());
  FarThreadFaults pause;
  heap->workers()->threads_do(&pause);
  pause.do_thread(VMThread::vm_thread());
  FarThreadFaults refinement;
  heap->concurrent_refine()->threads_do(&refinement);
  faults->set(concurrent.sum(), pause.sum(), refinement.sum());
}
