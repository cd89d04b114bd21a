/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHMARKING_INLINE_HPP
#define SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHMARKING_INLINE_HPP

#include "gc/terrace/far/shenandoah/farShenandoahMarking.hpp"

#if INCLUDE_TERRACE

#include "gc/shenandoah/shenandoahTaskqueue.inline.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSweep.inline.hpp"

inline bool FarShenandoahMarking::defers(const ShenandoahMarkTask* task) {
  if (!_checking) {
    return false;
  }
  const size_t page = FarPages::page_of(cast_from_oop<void*>(task->obj()));
  // An object that waits for its finalizer must not become strongly reachable.
  if (FarSummarySet::contains(page) && (task->is_weak() ? !FarSummarySet::exclude(page) : FarSummarySet::reach(page))) {
    return true;
  }
  return _deferring && FarPages::is_absent(page) && defer(task);
}

template <typename Scan>
class FarShenandoahMarking::Visitor : public StackObj {
  const bool _is_concurrent;
  Scan&      _scan;

 public:
  Visitor(bool is_concurrent, Scan& scan) : _is_concurrent(is_concurrent), _scan(scan) {}

  void process(HeapWord* addr) {
    ShenandoahMarkTask task(cast_to_oop(addr), false /* skip_live */, false /* weak */);
    _scan(&task);
  }

  // The references that were found are tasks in the worker's queue.
  void end_page() {}

  bool should_stop() const { return FarShenandoahSummaries::is_stopped(_is_concurrent); }
  bool may_wait() const    { return _is_concurrent; }
};

template <typename Scan>
void FarShenandoahMarking::drain_slow(uint worker_id, bool is_concurrent, Scan scan) {
  Visitor<Scan> visitor(is_concurrent, scan);
  _sweep->drain(worker_id, visitor);
}

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHMARKING_INLINE_HPP
