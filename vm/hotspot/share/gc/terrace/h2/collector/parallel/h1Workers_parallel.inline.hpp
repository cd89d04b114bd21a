/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1WORKERS_PARALLEL_INLINE_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1WORKERS_PARALLEL_INLINE_HPP

#include "gc/terrace/h2/collector/parallel/h1Workers_parallel.hpp"

#include "gc/parallel/psCompactionManager.inline.hpp"
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/parallel/psPromotionManager.inline.hpp"
#include "gc/parallel/psScavenge.inline.hpp"

template <typename T>
inline bool H1ScavengeWorker::copies_target(T* p) {
  return PSScavenge::should_scavenge(p);
}

template <typename T>
inline void H1ScavengeWorker::push(T* p) {
  static_cast<H1ParallelScavengeWorker*>(this)->_pm->claim_or_forward_depth(p);
}

inline void H1ScavengeWorker::drain() {
  static_cast<H1ParallelScavengeWorker*>(this)->_pm->drain_stacks(false);
}

template <typename T>
inline void H1MarkWorker::mark_and_push(T* p) {
  static_cast<H1ParallelMarkWorker*>(this)->_cm->mark_and_push(p);
}

inline bool H1MarkWorker::is_drained() const {
  return static_cast<const H1ParallelMarkWorker*>(this)->_cm->marking_stacks_empty();
}

template <typename T>
inline void H1AdjustWorker::adjust(T* p) {
  PSParallelCompact::adjust_pointer(p, static_cast<H1ParallelAdjustWorker*>(this)->_cm);
}

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1WORKERS_PARALLEL_INLINE_HPP
