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
#include "gc/terrace/far/farPolicy.hpp"
#include "gc/terrace/far/farRequests.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/g1/farGarbage.hpp"
#include "gc/terrace/far/g1/farMarking.hpp"
#include "gc/terrace/far/g1/farRefresher.hpp"
#include "gc/terrace/far/g1/farRemark.hpp"
#include "gc/terrace/far/g1/farStatistics.hpp"
#include "gc/terrace/far/g1/farSummaries.hpp"
#include "gc/terrace/far/g1/farVerifier.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/arguments.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/ostream.hpp"

volatile bool     FarMarking::_active = false;
volatile bool     FarMarking::_marking = false;
bool              FarMarking::_rebuilding = false;
bool              FarMarking::_has_cycle = false;
volatile size_t   FarMarking::_cursor = 0;
volatile bool     FarMarking::_is_map_new = false;
jlong             FarMarking::_begin = 0;
size_t            FarMarking::_absent_at_begin = 0;
volatile size_t   FarMarking::_most_asked = FarRequests::Least;
FarPolicy*        FarMarking::_policy = NULL;
FarMarking::Worker* FarMarking::_workers = NULL;
uint              FarMarking::_worker_count = 0;
G1ConcurrentMark* volatile FarMarking::_cm = NULL;
G1ConcurrentMark* FarMarking::_waiting = NULL;

class FarMarking::Worker : public CHeapObj<mtGC> {
 public:
  // Pages that this worker knows to be in memory. Objects on them are not deferred again, even if
  // the map of absent pages is out of date.
  FarPageSet  _processing;
  FarCounts   _counts;
  FarRequests _requests;

  char        _padding[DEFAULT_CACHE_LINE_SIZE];
};

// Start-up.

// Returns NULL, or an error message.
const char* FarMarking::allocate() {
  const MemRegion heap = G1CollectedHeap::heap()->reserved();
  const char* const error = FarPages::initialize(heap);
  if (error != NULL) {
    return error;
  }
  if (!FarDeferred::allocate() || !FarGarbage::initialize() || !FarSummaries::initialize() || !FarSummaryMarking::initialize()) {
    return "no memory for its tables";
  }
  if (FarMemorySummaries && !FarSummaries::has_whole_chunks()) {
    log_info(gc, far)("No summaries with G1RebuildRemSetChunkSize=" SIZE_FORMAT ": it must divide 2M and the size of a region, and be a "
                      "multiple of a page", G1RebuildRemSetChunkSize);
  } else if (FarMemorySummaries) {
    FarWrites::initialize();
  }
  _policy = new FarPolicy(FarPages::count());
  _worker_count = MAX2(ConcGCThreads, ParallelGCThreads);
  _workers = new Worker[_worker_count];
  return FarRefresher::start(&refresh_if_marking) ? NULL : "no thread could be created for it";
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
  assert(worker_id < _worker_count, "worker %u", worker_id);
  Worker* const worker = &_workers[worker_id];
  const size_t page = FarPages::page_of(obj);
  if (!_policy->may_defer(page) || worker->_processing.contains(page)) {
    return false;
  }
  if (!is_marked && _cm->next_mark_bitmap()->is_marked((HeapWord*)obj)) {
    return false;                      // already marked by another worker
  }
  if (FarDeferred::add(obj)) {
    if (is_marked) {
      worker->_counts.deferred_scans++;
    } else {
      worker->_counts.deferred++;
    }
  }
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

void FarMarking::process_object(G1CMTask* task, HeapWord* addr) {
  oop const obj = cast_to_oop(addr);
  HeapRegion* const region = G1CollectedHeap::heap()->heap_region_containing(addr);
  if (region->obj_allocated_since_next_marking(obj)) {
    // The object was reclaimed together with its region.
    _workers[task->worker_id()]._counts.skipped++;
    return;
  }
  _cm->mark_in_next_bitmap(task->worker_id(), region, obj);
  assert(_cm->is_marked_in_next_bitmap(obj), "deferred once more");
  if (!obj->is_typeArray()) {
    task->scan_task_entry(G1TaskQueueEntry::from_oop(obj));
  }
}

// Returns false if the worker must stop before the page is complete.
bool FarMarking::process_page(G1CMTask* task, Worker* worker, size_t page) {
  HeapWord* const end = FarPages::bottom_of(page + 1);
  for (HeapWord* obj = FarDeferred::next(FarPages::bottom_of(page), end); obj < end;
       obj = FarDeferred::next(obj + MinObjAlignment, end)) {
    if (FarSummaryMarking::should_stop(task)) {
      FarDeferred::add_page(page);
      return false;
    }
    if (FarDeferred::take(obj)) {
      process_object(task, obj);
    }
  }
  task->drain_local_queue(true);
  task->drain_global_stack(true);
  return true;
}

// Processes deferred objects whose pages have become present. Returns false if there were none.
bool FarMarking::drain_present(G1CMTask* task, Worker* worker) {
  const size_t count = FarPages::count();
  bool found = false;
  size_t page = FarDeferred::next_page(0);
  while (page < count && !FarSummaryMarking::should_stop(task)) {
    if (FarPages::is_absent(page)) {
      page = FarPages::next_present(page);
    } else {
      if (FarDeferred::take_page(page)) {
        found = true;
        worker->_counts.present_pages++;
        worker->_processing.reset(align_down(page, FarPages::ChunkPages));
        worker->_processing.add(page);
        process_page(task, worker, page);
      }
      page++;
    }
    page = page < count ? FarDeferred::next_page(page) : count;
  }
  return found;
}

FarRequests& FarMarking::requests_of(uint worker_id) {
  assert(worker_id < _worker_count, "worker %u", worker_id);
  return _workers[worker_id]._requests;
}

void FarMarking::end_request(uint worker_id) {
  FarRequests& requests = requests_of(worker_id);
  const size_t pages = requests.pages();
  const size_t size = requests.size();
  if (requests.end(FarFaults::of_this_thread(), Atomic::load(&_most_asked))) {
    log_trace(gc, far)("Worker %u: " SIZE_FORMAT " of at most " SIZE_FORMAT " pages at once, the next time at most " SIZE_FORMAT,
                       worker_id, pages, size, requests.size());
  }
}

void FarMarking::drain_next_pages(G1CMTask* task, Worker* worker) {
  const size_t count = FarPages::count();
  const size_t start = Atomic::load(&_cursor);
  size_t page = FarDeferred::next_page(start, count);
  if (page == count) {
    _policy->swept(count);
    page = FarDeferred::next_page(0, start);
    if (page == start) {
      return;                          // other workers have taken the remaining pages
    }
  }
  const size_t first = page;
  size_t limit = MIN2(align_down(first, FarPages::ChunkPages) + FarPages::ChunkPages, count);
  FarPages::refresh(first, limit);
  FarPageSet taken;
  taken.reset(align_down(first, FarPages::ChunkPages));
  FarRequest request(worker->_requests.size());
  for (; page < limit; page = FarDeferred::next_page(page + 1, limit)) {
    if (FarPages::is_absent(page) && !request.add(page)) {
      limit = page;
      break;
    }
    if (FarDeferred::take_page(page)) {
      taken.add(page);
      worker->_counts.swept_pages++;
    }
  }
  // Two workers may visit the same pages, but take_page gives each page to one of them.
  Atomic::store(&_cursor, limit);
  _policy->swept(limit);

  worker->_processing = taken;
  size_t refused = 0;
  const julong faults = FarFaults::of_this_thread();
  const size_t asked = FarPages::ask_for(worker->_processing, limit, refused);
  worker->_requests.begin(asked, refused, faults);
  worker->_counts.asked += asked;
  bool complete = true;
  for (page = taken.next(first); page < limit; page = taken.next(page + 1)) {
    complete = process_page(task, worker, page) && complete;
  }
  if (complete) {
    end_request(task->worker_id());
    worker->_counts.given_back += FarPages::give_back(first, limit);
  } else {
    worker->_requests.abandon();
    Atomic::store(&_cursor, first);    // the requested pages are being read, so continue here
  }
}

// Under FarMemoryTorture, draining waits, so that young collections happen while objects are
// deferred.
bool FarMarking::is_held_back() {
  static const jlong TortureMillis = 50;
  if (FarMemoryTorture == 0 || os::javaTimeNanos() - _begin > TortureMillis * NANOSECS_PER_MILLISEC) {
    return false;
  }
  os::naked_short_sleep(1);
  return true;
}

bool FarMarking::drain_slow(G1CMTask* task) {
  const bool has_summaries = FarSummaryMarking::has_pending();
  if (!has_summaries && !FarDeferred::has_pages()) {
    return false;
  }
  if (!FarSummaryMarking::should_stop(task) && !is_held_back()) {
    Worker* const worker = &_workers[task->worker_id()];
    if (has_summaries) {
      FarSummaryMarking::drain(task, worker->_counts.summarized_pages, worker->_counts.summarized_references);
      return true;
    }
    const bool look = _is_map_new && Atomic::cmpxchg(&_is_map_new, true, false);
    if (!look || !drain_present(task, worker)) {
      drain_next_pages(task, worker);
    }
    worker->_processing.reset(0);
  }
  return true;
}

// Around marking.

void FarMarking::refresh_policy() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  const size_t total = heap->max_regions();
  const size_t used = MIN2((size_t)heap->num_used_regions(), total);
  const FarPolicy::Zone zone = FarPolicy::zone_of(total - used, total, FarMemoryFreelyAbove, FarMemoryOnceAbove);
  if (zone != _policy->zone()) {
    log_debug(gc, far)("Absent objects are deferred %s: " SIZE_FORMAT " of " SIZE_FORMAT " regions free",
                       FarPolicy::name(zone), total - used, total);
    _policy->set_zone(zone);
  }
}

// Pages that are marked from their summaries also activate deferral, because their objects must not
// be marked in any other way.
void FarMarking::activate_if_absent() {
  if (!_active && (FarSummaryMarking::page_count() > 0 || FarPages::absent_count() > 0)) {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _active = _marking;                // marking may have ended
  }
}

void FarMarking::page_out_some() {
  const size_t chunks = FarPages::count() / FarPages::ChunkPages;
  for (size_t i = 0; i < chunks; i += 16) {
    const size_t first = (size_t)os::random() % chunks * FarPages::ChunkPages;
    FarPages::page_out(first, first + FarPages::ChunkPages);
  }
}

void FarMarking::refresh() {
  if (FarMemoryPageOut) {
    page_out_some();
  }
  FarPages::advance_torture();
  FarPages::refresh(0, FarPages::count());
  Atomic::store(&_most_asked, FarRequests::most(FarPages::resident_count(), ConcGCThreads));
  refresh_policy();
  activate_if_absent();
  Atomic::release_store(&_is_map_new, true);
}

bool FarMarking::refresh_if_marking() {
  if (!_marking) {
    return false;
  }
  refresh();
  return true;
}

void FarMarking::begin() {
  if (_cm == NULL && !turn_on_if_short()) {
    return;                            // far memory is off
  }
  assert(FarDeferred::page_count() == 0, "deferred in an earlier marking");
  for (uint i = 0; i < _worker_count; i++) {
    _workers[i]._counts = FarCounts();
    _workers[i]._requests = FarRequests();
  }
  FarStatistics::begin_marking();
  _rebuilding = false;
  _has_cycle = true;
  _cursor = 0;
  _begin = os::javaTimeNanos();
  _policy->begin();
  {
    MonitorLocker ml(FarRefresher::monitor(), Mutex::_no_safepoint_check_flag);
    _marking = true;
  }
  refresh();
  _absent_at_begin = FarPages::absent_count();
  FarSummaries::begin_cycle();
  // A summary also keeps garbage alive. When free space is short, marking reads the pages instead,
  // to find it.
  if (_policy->zone() != FarPolicy::Never) {
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
  const size_t summaries = FarSummaryMarking::page_count();
  FarSummaryMarking::end(is_complete);
  FarCounts sum;
  if (was_active) {
    guarantee(!is_complete || FarDeferred::page_count() == 0, "marking ended with deferred objects on " SIZE_FORMAT " pages",
              FarDeferred::page_count());
    assert(!is_complete || FarDeferred::is_empty(), "deferred objects are lost");
    FarDeferred::drop_all();
    sum.given_back = FarPages::give_back(0, FarPages::count());
    for (uint i = 0; i < _worker_count; i++) {
      sum.add(_workers[i]._counts);
    }
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
  _has_cycle = false;
  const bool was_rebuilt = _rebuilding && !_cm->has_aborted();
  if (_rebuilding) {
    _rebuilding = false;
    FarPages::give_back(0, FarPages::count());   // pages of regions that have been reclaimed since
    FarStatistics::end_rebuild();
  }
  if (FarSummaries::is_taking()) {
    FarPages::refresh(0, FarPages::count());
    FarSummaryMarking::note_absent();
  }
  FarRequests requests;
  for (uint i = 0; i < _worker_count; i++) {
    requests.add(_workers[i]._requests);
  }
  FarStatistics::set_requests(requests, _most_asked);
  FarSummaries::end_cycle(was_rebuilt);
  FarStatistics::end_cycle();
}

void FarMarking::print_on(outputStream* out, JavaThread* thread) {
  if (!FarMarkBitmaps::is_initialized()) {
    out->print_cr("Far memory is off: start with -XX:+UseFarMemory, which works with G1");
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
}
