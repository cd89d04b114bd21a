/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2WORKERCOUNTS_HPP
#define SHARE_GC_TERRACE_H2_H2WORKERCOUNTS_HPP

#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "utilities/globalDefinitions.hpp"

// How much of a phase's work each worker did, to see imbalance in the log.
class H2WorkerCounts {
  const char* const _phase;
  const char* const _unit;
  const uint        _length;
  size_t* const     _counts;

  NONCOPYABLE(H2WorkerCounts);

 public:
  H2WorkerCounts(const char* phase, const char* unit, uint worker_count) :
    _phase(phase), _unit(unit), _length(worker_count), _counts(NEW_C_HEAP_ARRAY(size_t, worker_count, mtGC)) {
    memset(_counts, 0, _length * sizeof(size_t));
  }
  ~H2WorkerCounts()                        { FREE_C_HEAP_ARRAY(size_t, _counts); }

  void set(uint worker_id, size_t count)   { _counts[worker_id] = count; }

  void log() const {
    size_t total = 0;
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (uint i = 0; i < _length; i++) {
      total += _counts[i];
      least = MIN2(least, _counts[i]);
      most = MAX2(most, _counts[i]);
    }
    log_debug(gc, h2)("%s: %u workers, %s least " SIZE_FORMAT ", mean " SIZE_FORMAT ", most " SIZE_FORMAT,
                      _phase, _length, _unit, least, total / _length, most);
  }
};

#endif // SHARE_GC_TERRACE_H2_H2WORKERCOUNTS_HPP
