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
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/threads/createdWorkers.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "logging/log.hpp"

uint CreatedWorkers::count(uint wanted) {
  if (!UseParallelGC || (H2Range::is_empty() && !TerraceGang::is_enabled())) {
    return wanted;
  }
  static bool has_warned = false;
  const uint created = H1Heap::workers()->update_active_workers(wanted);
  if (created < wanted && !has_warned) {
    log_warning(gc, task)("Only %u of %u GC threads could be created; collections go on with those. Raise the limit on threads or "
                          "memory (ulimit -u, pids.max), or choose a smaller ParallelGCThreads", created, wanted);
    has_warned = true;
  }
  return created;
}
