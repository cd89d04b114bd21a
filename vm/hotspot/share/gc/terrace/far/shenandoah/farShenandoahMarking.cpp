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
#include "gc/shenandoah/shenandoahHeap.inline.hpp"
#include "gc/shenandoah/shenandoahHeapRegion.hpp"
#include "gc/shenandoah/shenandoahUtils.hpp"
#include "gc/terrace/far/farFaults.hpp"
#include "gc/terrace/far/farRefresher.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSweep.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahEvacuation.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahMarking.inline.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/arguments.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/vmThread.hpp"
#include "utilities/ostream.hpp"

FarSweep*     FarShenandoahMarking::_sweep = NULL;
volatile bool FarShenandoahMarking::_marking = false;
volatile bool FarShenandoahMarking::_checking = false;
volatile bool FarShenandoahMarking::_deferring = false;
bool          FarShenandoahMarking::_has_left = false;
size_t        FarShenandoahMarking::_absent_at_begin = 0;

// Returns NULL, or an error message.
const char* FarShenandoahMarking::allocate() {
  const char* const error = FarPages::initialize(ShenandoahHeap::heap()->reserved_region());
  if (error != NULL) {
    return error;
  }
  if (!FarDeferred::allocate() || !FarShenandoahSummaries::initialize()) {
    return "no memory for its tables";
  }
  // Not by default, because their effect on programs that swap is not measured yet.
  if (FarMemorySummaries && !FLAG_IS_DEFAULT(FarMemorySummaries)) {
    FarWrites::initialize();
  }
  FarStatistics::initialize(&count_faults, "Evacuation", "evacuation and references");
  FarSweep* const sweep = new FarSweep(ShenandoahHeap::heap()->max_workers());
  const FarRefresher::Work work = { "Shenandoah Far Refresher", &refresh_if_marking, &FarShenandoahEvacuation::adapt };
  if (!FarRefresher::start(work)) {
    return "no thread could be created for it";
  }
  _sweep = sweep;
  FarShenandoahEvacuation::initialize(sweep);
  FarShenandoahSummaries::set_sweep(sweep);
  return NULL;
}

void FarShenandoahMarking::initialize() {
  if (!UseFarMemory) {
    return;
  }
  Arguments::PropertyList_add(new SystemProperty("terrace.far", "true", false));
  const char* const error = allocate();
  if (error != NULL) {
    log_warning(gc, far)("UseFarMemory has no effect: %s", error);
  }
}

// The same workers serve concurrent phases and pauses. The thread that coordinates them counts as the program's.
void FarShenandoahMarking::count_faults(FarFaults* faults) {
  FarThreadFaults collector;
  ShenandoahHeap::heap()->workers()->threads_do(&collector);
  FarThreadFaults pause;
  pause.do_thread(VMThread::vm_thread());
  faults->set(collector.sum(), pause.sum(), 0);
}

bool FarShenandoahMarking::defer(const ShenandoahMarkTask* task) {
  if (!task->is_not_chunked() || task->is_weak() || !task->count_liveness()) {
    return false;
  }
  const void* const obj = cast_from_oop<void*>(task->obj());
  const uint worker_id = ShenandoahWorkerSession::worker_id();
  if (!_sweep->may_defer(worker_id, FarPages::page_of(obj))) {
    return false;
  }
  _sweep->defer(worker_id, obj, true);
  return true;
}

void FarShenandoahMarking::refresh() {
  const ShenandoahHeap* const heap = ShenandoahHeap::heap();
  const size_t total = heap->max_capacity();
  const size_t region = ShenandoahHeapRegion::region_size_bytes();
  _sweep->refresh((total - MIN2(heap->used(), total)) / region, total / region, ConcGCThreads);
  if (!_deferring && FarPages::absent_count() > 0) {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _deferring = _marking;             // marking may have ended
    _checking = _checking || _deferring;
  }
}

bool FarShenandoahMarking::refresh_if_marking() {
  if (!_marking) {
    return false;
  }
  refresh();
  return true;
}

void FarShenandoahMarking::begin() {
  if (_sweep == NULL) {
    return;
  }
  FarStatistics::begin_marking();
  _sweep->begin();
  {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _marking = true;
  }
  refresh();
  _absent_at_begin = FarPages::absent_count();
  // A summary also keeps garbage alive. Marking reads the pages instead, to find it, when free space is short or a collection is
  // requested. A request may need the memory of dead direct buffers or class loaders.
  const bool is_requested = ShenandoahHeap::heap()->gc_cause() != GCCause::_shenandoah_concurrent_gc && FarMemoryTorture == 0;
  FarShenandoahSummaries::begin_marking(_sweep->policy().zone() != FarPolicy::Never && !is_requested);
  if (FarSummarySet::page_count() > 0) {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _checking = true;
  }
  FarRefresher::notify();
}

void FarShenandoahMarking::end() {
  if (!_marking) {
    return;
  }
  bool was_deferring;
  {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    was_deferring = _deferring;
    _deferring = false;
    _checking = FarSummarySet::page_count() > 0;
    _marking = false;
  }
  // The collection may be cancelled at any time, also after its marking is complete.
  _has_left = FarDeferred::has_pages();
  guarantee((!_has_left && !FarSummarySet::has_pending()) || ShenandoahHeap::heap()->cancelled_gc(),
            "marking ended with deferred objects on " SIZE_FORMAT " pages", FarDeferred::page_count());
  FarCounts sum;
  const bool was_active = was_deferring || FarSummarySet::page_count() > 0;
  if (was_active) {
    if (!_has_left) {
      assert(FarDeferred::is_empty(), "deferred objects are lost");
      FarDeferred::drop_all();
    }
    sum.add(_sweep->counts());
    sum.given_back += FarPages::give_back(0, FarPages::count());
  }
  const bool is_complete = !_has_left && !FarSummarySet::has_pending();
  FarStatistics::end_marking(sum, _absent_at_begin, FarSummarySet::page_count(), was_active, is_complete);
  FarShenandoahEvacuation::begin(was_active, _absent_at_begin);
}

void FarShenandoahMarking::finish() {
  guarantee(!FarDeferred::has_pages(), "marking finished with deferred objects on " SIZE_FORMAT " pages", FarDeferred::page_count());
  if (_has_left) {
    log_info(gc, far)("The pause has scanned the objects that the cancelled marking had deferred");
    assert(FarDeferred::is_empty(), "deferred objects are lost");
    drop_left();
  }
  guarantee(!FarSummarySet::has_pending(), "marking finished with summaries to be scanned");
  end_checking();
}

// The refresher may be looking at a marking that has ended.
void FarShenandoahMarking::end_checking() {
  if (_checking) {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _checking = false;
  }
}

void FarShenandoahMarking::drop_left() {
  if (_has_left) {
    FarDeferred::drop_all();
    _has_left = false;
  }
}

void FarShenandoahMarking::clear() {
  drop_left();
  end_checking();
  FarShenandoahSummaries::drop_all();
}

void FarShenandoahMarking::print_on(outputStream* out, JavaThread* thread) {
  if (_sweep == NULL) {
    out->print_cr(UseFarMemory ? "Far memory has no effect; the log says why (-Xlog:gc+far)"
                               : "Far memory is off: start with -XX:+UseFarMemory, which works with G1 and Shenandoah");
    return;
  }
  if (!_marking) {
    ThreadBlockInVM may_wait(thread);
    FarPages::refresh(0, FarPages::count());
  }
  FarStatistics::print_on(out);
  FarShenandoahEvacuation::print_on(out);
}
