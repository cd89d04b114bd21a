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
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"

H2WorkerCounts::H2WorkerCounts(const char* phase, const char* unit, uint worker_count) :
  _phase(phase), _unit(unit), _length(worker_count), _counts(NEW_C_HEAP_ARRAY(size_t, worker_count + 1, mtGC)) {
  clear();
}

H2WorkerCounts::~H2WorkerCounts() {
  FREE_C_HEAP_ARRAY(size_t, _counts);
}

void H2WorkerCounts::clear() {
  memset(_counts, 0, (_length + 1) * sizeof(size_t));
}

void H2WorkerCounts::log(uint worker_count) const {
  size_t total = 0;
  size_t least = SIZE_MAX;
  size_t most = 0;
  for (uint i = 0; i < worker_count; i++) {
    total += _counts[i];
    least = MIN2(least, _counts[i]);
    most = MAX2(most, _counts[i]);
  }
  if (total != 0) {
    log_debug(gc, h2)("%s: %u workers, %s least " SIZE_FORMAT ", mean " SIZE_FORMAT ", most " SIZE_FORMAT,
                      _phase, worker_count, _unit, least, total / worker_count, most);
  }
}
