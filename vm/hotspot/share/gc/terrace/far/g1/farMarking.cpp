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
#include "gc/g1/g1ConcurrentMark.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/farRefresher.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/farSweep.inline.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/g1/farG1Summaries.hpp"
#include "gc/terrace/far/g1/farGarbage.hpp"
#include "gc/terrace/far/g1/farMarking.hpp"
#include "gc/terrace/far/g1/farReferents.hpp"
#include "gc/terrace/far/g1/farRemark.hpp"
#include "gc/terrace/far/g1/farRoots.hpp"
#include "gc/terrace/far/g1/farThreads.hpp"
#include "gc/terrace/far/g1/farVerifier.hpp"
#include "gc/terrace/far/g1/farYoung.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/arguments.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/ostream.hpp"

volatile bool     FarMarking::_active = false;
volatile bool     FarMarking::_marking = false;
bool              FarMarking::_rebuilding = false;
bool              FarMarking::_has_cycle = false;
size_t            FarMarking::_absent_at_begin = 0;
FarSweep*         FarMarking::_sweep = NULL;
G1ConcurrentMark* volatile FarMarking::_cm = NULL;
G1ConcurrentMark* FarMarking::_waiting = NULL;

// Start-up.

// Returns NULL, or an error message.
const char* FarMarking::allocate() {
  const MemRegion heap = G1CollectedHeap::heap()->reserved();
  const char* const error = FarPages::initialize(heap);
  if (error != NULL) {
    return error;
  }
  if (!FarDeferred::allocate() || !FarGarbage::initialize() || !FarG1Summaries::initialize() || !FarSummaryMarking::initialize()) {
    return "no memory for its tables";
  }
  if (FarMemorySummaries && !FarG1Summaries::has_whole_chunks()) {
    log_info(gc, far)("No summaries with G1RebuildRemSetChunkSize=" SIZE_FORMAT ": it must divide 2M and the size of a region, and be a "
                      "multiple of a page", G1RebuildRemSetChunkSize);
  } else if (FarMemorySummaries) {
    FarWrites::initialize();
  }
  FarStatistics::initialize(&FarThreads::count, "Rebuild", "remembered sets");
  _sweep = new FarSweep(MAX2(ConcGCThreads, ParallelGCThreads));
  const FarRefresher::Work work = { "G1 Far Refresher", &refresh_if_marking, &adapt };
  return FarRefresher::start(work) ? NULL : "no thread could be created for it";
}

// Releases the memory of free regions, and fits the young generation to local memory.
void FarMarking::adapt(bool is_swapped) {
  if (is_swapped) {
    FarGarbage::give_free_regions();
  }
  FarYoung::update(is_swapped);
}

void FarMarking::initialize(G1ConcurrentMark* cm, MemRegion first_bitmap, MemRegion second_bitmap) {
  const bool may_turn_on = FLAG_IS_DEFAULT(UseFarMemory) && AllocateHeapAt == NULL;
  if (!UseFarMemory && !may_turn_on) {
    return;
  }
  Arguments::PropertyList_add(new SystemProperty("terrace.far", "true", false));
  FarMarkBitmaps::initialize(cm, first_bitmap, second_bitmap);
  if (UseFarMemory) {
    turn_on(cm);
  } else {
    _waiting = cm;
  }
}

bool FarMarking::turn_on(G1ConcurrentMark* cm) {
  const char* const error = allocate();
  if (error != NULL) {
    log_warning(gc, far)("UseFarMemory has no effect: %s", error);
    return false;
  }
  Atomic::release_store(&_cm, cm);
  return true;
}

// The calling thread also coordinates marking, and no worker marks yet.
bool FarMarking::turn_on_if_short() {
  if (_waiting == NULL || !FarPages::is_process_swapped() || !FarPages::is_memory_limited()) {
    return false;
  }
  G1ConcurrentMark* const cm = _waiting;
  _waiting = NULL;
  if (!turn_on(cm)) {
    return false;
  }
  FLAG_SET_ERGO(UseFarMemory, true);
  log_info(gc, far)("Far memory is on from now on: a part of the process is swapped out, and its memory is limited "
                    "(-XX:-UseFarMemory forbids it)");
  return true;
}

// Objects and pages.

bool FarMarking::defer(uint worker_id, const void* obj, bool is_marked) {
  assert(Thread::current()->is_ConcurrentGC_thread(), "deferred in a pause");
  if (!_sweep->may_defer(worker_id, FarPages::page_of(obj))) {
    return false;
  }
  if (!is_marked && _cm->next_mark_bitmap()->is_marked((HeapWord*)obj)) {
    return false;                      // already marked by another worker
  }
  _sweep->defer(worker_id, obj, is_marked);
  return true;
}

bool FarMarking::steps_over_slow(G1CMTask* task, HeapWord* limit) {
  HeapWord* const finger = task->finger();
  if (!is_absent(finger)) {
    return false;
  }
  if (finger + MinObjAlignment < limit) {
    task->move_finger_to(finger + MinObjAlignment);
  } else {
    task->giveup_current_region();
  }
  return true;
}

// Draining.

class FarMarking::Visitor : public StackObj {
  G1CMTask* const _task;

 public:
  Visitor(G1CMTask* task) : _task(task) {}

  void process(HeapWord* addr) {
    const size_t page = FarPages::page_of(addr);
    if (FarSummarySet::contains(page)) {
      FarCounts& counts = _sweep->counts_of(_task->worker_id());
      counts.asked += FarReferents::ask_ahead(page, _sweep->most_asked());
      counts.read_referring_pages++;
      FarReferents::scan(_task, page);
      return;
    }
    oop const obj = cast_to_oop(addr);
    HeapRegion* const region = G1CollectedHeap::heap()->heap_region_containing(addr);
    if (region->obj_allocated_since_next_marking(obj)) {
      // The object was reclaimed together with its region.
      _sweep->count_skipped(_task->worker_id());
      return;
    }
    _cm->mark_in_next_bitmap(_task->worker_id(), region, obj);
    assert(_cm->is_marked_in_next_bitmap(obj), "deferred once more");
    if (!obj->is_typeArray()) {
      _task->scan_task_entry(G1TaskQueueEntry::from_oop(obj));
    }
  }

  void end_page() {
    _task->drain_local_queue(true);
    _task->drain_global_stack(true);
  }

  bool should_stop() const { return FarSummaryMarking::should_stop(_task); }
  bool may_wait() const    { return true; }
};

FarRequests& FarMarking::requests_of(uint worker_id) {
  return _sweep->requests_of(worker_id);
}

void FarMarking::end_request(uint worker_id) {
  _sweep->end_request(worker_id);
}

bool FarMarking::drain_slow(G1CMTask* task) {
  const bool has_summaries = FarSummarySet::has_pending();
  if (!has_summaries && !FarDeferred::has_pages()) {
    return false;
  }
  if (!has_summaries) {
    Visitor visitor(task);
    _sweep->drain(task->worker_id(), visitor);
  } else if (!_sweep->is_held_back()) {
    FarSummaryMarking::drain(task, _sweep->counts_of(task->worker_id()));
  }
  return true;
}

bool FarMarking::continues_slow() {
  return !_cm->has_aborted() && FarReferents::defers();
}

// Around marking.

// Pages that are marked from their summaries also activate deferral, because their objects must not
// be marked in any other way.
void FarMarking::activate_if_absent() {
  const size_t count = FarPages::count();
  if (!_active && (FarSummarySet::page_count() > 0 || FarPages::next_absent(0, count) < count)) {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _active = _marking;                // marking may have ended
  }
}

size_t FarMarking::free_regions() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  return heap->max_regions() - MIN2(heap->num_used_regions(), heap->max_regions());
}

void FarMarking::refresh() {
  _sweep->refresh(free_regions(), G1CollectedHeap::heap()->max_regions(), ConcGCThreads);
  activate_if_absent();
}

bool FarMarking::refresh_if_marking() {
  if (!_marking) {
    return false;
  }
  refresh();
  return true;
}

// The next pause waits until the root regions are scanned, so this only finds the absent pages, and stops when a pause
// begins. The refresher then finds the rest. It must not join the suspendible thread set, because that would wait for
// the pause.
void FarMarking::begin_roots() {
  if (_cm == NULL && !turn_on_if_short()) {
    return;                            // far memory is off
  }
  FarStatistics::begin_marking();
  _rebuilding = false;
  _has_cycle = true;
  _sweep->begin();
  {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _marking = true;
  }
  const size_t found = _sweep->refresh_until(&SuspendibleThreadSet::should_yield, free_regions(),
                                             G1CollectedHeap::heap()->max_regions(), ConcGCThreads);
  activate_if_absent();
  log_debug(gc, far)("Before root regions: looked up " SIZE_FORMAT " of " SIZE_FORMAT " pages", found, FarPages::count());
}

void FarMarking::begin() {
  if (!_marking) {
    begin_roots();                     // marking restarts after an overflow
  }
  if (!_marking) {
    return;                            // far memory is off
  }
  log_debug(gc, far)("Root regions: deferred " SIZE_FORMAT " objects", _sweep->counts().deferred);
  _absent_at_begin = FarPages::absent_count();
  FarG1Summaries::begin_cycle();
  // A summary also keeps garbage alive. When free space is short, marking reads the pages instead,
  // to find it.
  if (_sweep->policy().zone() != FarPolicy::Never) {
    FarSummaryMarking::begin(_cm);
    activate_if_absent();
  }
  FarRefresher::notify();
}

void FarMarking::end() {
  if (!_marking) {
    return;
  }
  bool was_active;
  {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    was_active = _active;
    _active = false;
    _marking = false;
  }
  const bool is_complete = !_cm->has_aborted();
  if (VerifyFarMemory && is_complete) {
    FarVerifier::note_marked(G1CollectedHeap::heap());
  }
  const size_t summaries = FarSummarySet::page_count();
  FarSummaryMarking::end(is_complete);
  FarCounts sum;
  if (was_active) {
    guarantee(!is_complete || FarDeferred::page_count() == 0, "marking ended with deferred objects on " SIZE_FORMAT " pages",
              FarDeferred::page_count());
    assert(!is_complete || FarDeferred::is_empty(), "deferred objects are lost");
    FarDeferred::drop_all();
    sum.given_back = FarPages::give_back(0, FarPages::count());
    sum.add(_sweep->counts());
  }
  if (was_active && is_complete) {
    FarRemark::ask_ahead();
  }
  FarStatistics::end_marking(sum, _absent_at_begin, summaries, was_active, is_complete);
  _rebuilding = (was_active || FarSummaries::is_taking()) && is_complete;
}

bool FarMarking::needs_rebuild() {
  return _rebuilding && FarSummaries::is_taking();
}

void FarMarking::end_cycle() {
  if (!_has_cycle) {
    return;                            // far memory is off, or the cycle marked nothing
  }
  end();                               // if the cycle was aborted before marking
  _has_cycle = false;
  const bool was_rebuilt = _rebuilding && !_cm->has_aborted();
  if (_rebuilding) {
    _rebuilding = false;
    FarPages::give_back(0, FarPages::count());   // pages of regions that have been reclaimed since
    FarStatistics::end_rebuild();
  }
  if (FarSummaries::is_taking()) {
    FarPages::refresh(0, FarPages::count());
    FarSummarySet::note_absent();
  }
  FarStatistics::set_requests(_sweep->requests(), _sweep->most_asked());
  FarSummaries::end_cycle(was_rebuilt);
  FarStatistics::end_cycle();
}

void FarMarking::print_on(outputStream* out, JavaThread* thread) {
  if (!FarMarkBitmaps::is_initialized()) {
    out->print_cr("Far memory is off: start with -XX:+UseFarMemory, which works with G1 and Shenandoah");
    return;
  }
  if (_waiting != NULL) {
    out->print_cr("Far memory is off. It turns itself on when a concurrent cycle begins while a part of the process is swapped out, "
                  "if its memory is limited; -XX:+UseFarMemory turns it on from the start");
    return;
  }
  if (_cm == NULL) {
    out->print_cr("Far memory has no effect; the log says why (-Xlog:gc+far)");
    return;
  }
  if (!_marking) {
    ThreadBlockInVM may_wait(thread);
    FarPages::refresh(0, FarPages::count());
  }
  FarStatistics::print_on(out);
  out->print_cr("Young pauses prefetched " SIZE_FORMAT " pages", FarRoots::all_asked());
}
