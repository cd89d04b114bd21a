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
#include "gc/shared/collectedHeap.hpp"
#include "gc/terrace/h2/transfer/h2Frequency.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "runtime/os.hpp"

static bool is_for_an_allocation(GCCause::Cause cause) {
  return cause == GCCause::_allocation_failure || cause == GCCause::_adaptive_size_policy;
}

void H2Frequency::begin_collection() {
  _start = os::javaTimeNanos();
  _counts = is_for_an_allocation(Universe::heap()->gc_cause());
  if (!_counts) {
    return;
  }
  const double taken = 100.0 * _last_nanos / MAX2(_start - _last_end + _last_nanos, (jlong)1);
  if (_last_nanos == 0 || taken <= H2OverheadThreshold) {
    _in_a_row = 0;
    return;
  }
  _in_a_row++;
  log_debug(gc, h2)("Major collections are frequent: the last one took %.0f%% of the time since it began", taken);
}

void H2Frequency::end_collection() {
  if (_counts) {
    _last_end = os::javaTimeNanos();
    _last_nanos = _last_end - _start;
  }
}
