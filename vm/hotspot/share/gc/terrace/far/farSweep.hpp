/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARSWEEP_HPP
#define SHARE_GC_TERRACE_FAR_FARSWEEP_HPP

#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/farFaults.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farPolicy.hpp"
#include "gc/terrace/far/farRequests.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"

// Defers objects on absent pages in marking, and drains them, for any collector. A worker that has nothing else to do
// first takes the objects whose pages the program has read into memory meanwhile. It then sweeps the remaining pages in
// address order, up to a chunk at a time. For each chunk it prefetches the wanted pages, processes their objects, and
// pages out the pages that only the collector needed.
//
// The collector processes the objects. It gives a visitor to drain():
//
//   void process(HeapWord* obj)   marks and scans an object that was deferred
//   void end_page()               called after the objects of a page
//   bool should_stop()            whether the worker must return, for a pause or because marking was aborted
//   bool may_wait()               whether FarMemoryTorture may hold the worker back
class FarSweep : public CHeapObj<mtGC> {
  class Worker : public CHeapObj<mtGC> {
   public:
    // Pages that this worker knows to be in memory. Objects on them are not deferred again, even if
    // the map of absent pages is out of date.
    FarPageSet  _processing;
    FarCounts   _counts;
    FarRequests _requests;

    char        _padding[DEFAULT_CACHE_LINE_SIZE];
  };

  FarPolicy       _policy;
  Worker* const   _workers;
  const uint      _worker_count;
  volatile size_t _cursor;             // page where the sweep continues
  volatile bool   _is_map_new;         // refreshed since a worker last searched for present pages
  jlong           _begin;
  volatile size_t _most_asked;         // largest request, in pages

  NONCOPYABLE(FarSweep);

  Worker& worker(uint id) const {
    assert(id < _worker_count, "worker %u", id);
    return _workers[id];
  }

  void adapt(size_t free, size_t total, uint concurrent_workers);

  // Takes the pages of the next part of the sweep, from first to the result, and requests those that are absent. The
  // part is empty if other workers have taken all pages.
  size_t take_next(Worker* worker, FarPageSet& taken, size_t& first);

  template <typename Visitor> static bool process_page(size_t page, Visitor& visitor);
  template <typename Visitor> bool drain_present(Worker* worker, Visitor& visitor);
  template <typename Visitor> void drain_next(uint worker_id, Visitor& visitor);

 public:
  FarSweep(uint worker_count);

  const FarPolicy& policy() const           { return _policy; }

  // Called when a marking begins.
  void begin();
  // Finds the absent pages. free and total are regions of the heap. concurrent_workers share the requests.
  void refresh(size_t free, size_t total, uint concurrent_workers);
  // Does so until the function says that the thread must stop, and not at all while nothing is swapped out. Returns the
  // number of pages that were looked up.
  size_t refresh_until(bool (*should_stop)(), size_t free, size_t total, uint concurrent_workers);

  bool may_defer(uint worker_id, size_t page) const {
    return _policy.may_defer(page) && !worker(worker_id)._processing.contains(page);
  }
  // Defers an object. is_marked: it only has to be scanned.
  void defer(uint worker_id, const void* obj, bool is_marked);
  void count_skipped(uint worker_id)        { worker(worker_id)._counts.skipped++; }

  // Under FarMemoryTorture, draining waits, so that collections happen while objects are deferred.
  bool is_held_back() const;
  // Processes some deferred objects. The worker must call it until none are left, before it offers termination.
  template <typename Visitor> void drain(uint worker_id, Visitor& visitor);

  FarCounts& counts_of(uint worker_id)      { return worker(worker_id)._counts; }
  FarRequests& requests_of(uint worker_id)  { return worker(worker_id)._requests; }
  // Called when the requested pages have been processed.
  void end_request(uint worker_id);

  // Of all workers.
  FarCounts counts() const;
  FarRequests requests() const;
  size_t most_asked() const                 { return _most_asked; }
};

#endif // SHARE_GC_TERRACE_FAR_FARSWEEP_HPP
