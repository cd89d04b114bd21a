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
#include "gc/terrace/far/farFaults.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.hpp"

void FarThreadFaults::do_thread(Thread* thread) {
  if (thread != NULL && thread->osthread() != NULL) {
    _sum += FarFaults::of_thread((int)thread->osthread()->thread_id());
  }
}

FarFaults::FarFaults() {
  for (int i = 0; i < GroupCount; i++) {
    _count[i] = 0;
  }
}

void FarFaults::set(julong concurrent, julong pause, julong refinement) {
  const julong all = of_process();
  _count[Concurrent] = concurrent;
  _count[Pause] = pause;
  _count[Refinement] = refinement;
  const julong collector = concurrent + pause + refinement;
  _count[Program] = all > collector ? all - collector : 0;
}
