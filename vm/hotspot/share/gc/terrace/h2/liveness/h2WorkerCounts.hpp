/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2WORKERCOUNTS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2WORKERCOUNTS_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// The amount of work that each worker did in a phase. The log shows whether it was balanced.
class H2WorkerCounts : public CHeapObj<mtGC> {
  const char* const _phase;
  const char* const _unit;
  const uint        _length;
  size_t* const     _counts;            // the last element is for the VM thread

  NONCOPYABLE(H2WorkerCounts);

 public:
  H2WorkerCounts(const char* phase, const char* unit, uint worker_count);
  ~H2WorkerCounts();

  // Called by the worker itself.
  void add(uint worker_id, size_t count)   { _counts[worker_id] += count; }

  void clear();
  // Logs the counts of the first workers, which took part.
  void log(uint worker_count) const;
  void log() const                         { log(_length); }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2WORKERCOUNTS_HPP
