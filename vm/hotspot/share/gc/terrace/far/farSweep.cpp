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
#include "gc/terrace/far/farSweep.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"

FarSweep::FarSweep(uint worker_count) :
  _policy(FarPages::count()), _workers(new Worker[worker_count]), _worker_count(worker_count), _cursor(0), _is_map_new(false),
  _begin(0), _most_asked(FarRequests::Least) {}

void FarSweep::begin() {
  assert(FarDeferred::page_count() == 0, "deferred in an earlier marking");
  for (uint i = 0; i < _worker_count; i++) {
    _workers[i]._counts = FarCounts();
    _workers[i]._requests = FarRequests();
  }
  _cursor = 0;
  _begin = os::javaTimeNanos();
  _policy.begin();
}

static void page_out_some() {
  const size_t chunks = FarPages::count() / FarPages::ChunkPages;
  for (size_t i = 0; i < chunks; i += 16) {
    const size_t first = (size_t)os::random() % chunks * FarPages::ChunkPages;
    FarPages::page_out(first, first + FarPages::ChunkPages);
  }
}

void FarSweep::refresh(size_t free, size_t total, uint concurrent_workers) {
  if (FarMemoryPageOut) {
    page_out_some();
  }
  FarPages::advance_torture();
  FarPages::refresh(0, FarPages::count());
  adapt(free, total, concurrent_workers);
}

size_t FarSweep::refresh_until(bool (*should_stop)(), size_t free, size_t total, uint concurrent_workers) {
  static const size_t Step = 32 * FarPages::ChunkPages; // takes a tenth of a millisecond
  size_t found = 0;
  if (FarPages::is_process_swapped()) {
    FarPages::advance_torture();
    found = FarPages::refresh_until(should_stop, Step);
  } else {
    FarPages::forget_absent();
  }
  adapt(free, total, concurrent_workers);
  return found;
}

// Adapts the requests and the policy to the memory of the process and the free space of the heap.
void FarSweep::adapt(size_t free, size_t total, uint concurrent_workers) {
  Atomic::store(&_most_asked, FarRequests::most(FarPages::resident_count(), concurrent_workers));
  const FarPolicy::Zone zone = FarPolicy::zone_of(free, total, FarMemoryFreelyAbove, FarMemoryOnceAbove);
  if (zone != _policy.zone()) {
    log_debug(gc, far)("Absent objects are deferred %s: " SIZE_FORMAT " of " SIZE_FORMAT " regions free", FarPolicy::name(zone), free,
                       total);
    _policy.set_zone(zone);
  }
  Atomic::release_store(&_is_map_new, true);
}

void FarSweep::defer(uint worker_id, const void* obj, bool is_marked) {
  if (FarDeferred::add(obj)) {
    FarCounts& counts = worker(worker_id)._counts;
    if (is_marked) {
      counts.deferred_scans++;
    } else {
      counts.deferred++;
    }
  }
}

bool FarSweep::is_held_back() const {
  static const jlong TortureMillis = 50;
  if (FarMemoryTorture == 0 || os::javaTimeNanos() - _begin > TortureMillis * NANOSECS_PER_MILLISEC) {
    return false;
  }
  os::naked_short_sleep(1);
  return true;
}

size_t FarSweep::take_next(Worker* worker, FarPageSet& taken, size_t& first) {
  const size_t count = FarPages::count();
  const size_t start = Atomic::load(&_cursor);
  first = FarDeferred::next_page(start, count);
  if (first == count) {
    _policy.swept(count);
    first = FarDeferred::next_page(0, start);
    if (first == start) {
      return first;
    }
  }
  size_t limit = MIN2(align_down(first, FarPages::ChunkPages) + FarPages::ChunkPages, count);
  FarPages::refresh(first, limit);
  taken.reset(align_down(first, FarPages::ChunkPages));
  FarRequest request(worker->_requests.size());
  for (size_t page = first; page < limit; page = FarDeferred::next_page(page + 1, limit)) {
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
  _policy.swept(limit);

  worker->_processing = taken;
  worker->_counts.asked += worker->_requests.ask_for(worker->_processing, limit);
  return limit;
}

void FarSweep::end_request(uint worker_id) {
  FarRequests& requests = requests_of(worker_id);
  const size_t pages = requests.pages();
  const size_t size = requests.size();
  if (requests.end(FarFaults::of_this_thread(), Atomic::load(&_most_asked))) {
    log_trace(gc, far)("Worker %u: " SIZE_FORMAT " of at most " SIZE_FORMAT " pages at once, the next time at most " SIZE_FORMAT,
                       worker_id, pages, size, requests.size());
  }
}

FarCounts FarSweep::counts() const {
  FarCounts sum;
  for (uint i = 0; i < _worker_count; i++) {
    sum.add(_workers[i]._counts);
  }
  return sum;
}

FarRequests FarSweep::requests() const {
  FarRequests sum;
  for (uint i = 0; i < _worker_count; i++) {
    sum.add(_workers[i]._requests);
  }
  return sum;
}
