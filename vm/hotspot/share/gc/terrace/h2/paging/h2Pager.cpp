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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/paging/h2Clusters.hpp"
#include "gc/terrace/h2/paging/h2Pager.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/paging/h2Residency.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierMonitor.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"

H2Pager::Queue* H2Pager::_queue = NULL;

H2Pager::Queue::Queue() :
  _lock(new Monitor(Mutex::leaf, "H2Pager_lock", true, Mutex::_safepoint_check_never)), _head(0), _count(0) {}

void H2Pager::Queue::add(MemRegion piece, Action action) {
  if (_count == QueueLength && action == PageOut) {
    return;
  }
  if (_count == QueueLength) {
    _head = (_head + 1) % QueueLength;
    _count--;
  }
  _ring[(_head + _count) % QueueLength] = { piece, action };
  _count++;
}

H2Pager::Request H2Pager::Queue::take() {
  const Request request = _ring[_head];
  _head = (_head + 1) % QueueLength;
  _count--;
  return request;
}

H2Pager::H2Pager(uint number) {
  set_name("H2 Pager#%u", number);
  create_and_start();
}

void H2Pager::initialize() {
  _queue = new Queue();
  if (FLAG_IS_DEFAULT(H2PagerThreads)) {
    FLAG_SET_ERGO(H2PagerThreads, clamp((uintx)os::active_processor_count() / 8, (uintx)1, (uintx)8));
  }
  for (uint i = 0; i < H2PagerThreads; i++) {
    new H2Pager(i);
  }
}

// Waits for a request. Returns one with an empty piece when the VM ends.
H2Pager::Request H2Pager::take() {
  MonitorLocker ml(_queue->_lock, Mutex::_no_safepoint_check_flag);
  while (_queue->_count == 0 && !should_terminate()) {
    ml.wait();
  }
  if (should_terminate()) {
    return { MemRegion(), Prefetch };
  }
  return _queue->take();
}

void H2Pager::run_service() {
  Request request;
  while (!(request = take())._piece.is_empty()) {
    char* const start = (char*)request._piece.start();
    const size_t size = request._piece.byte_size();
    if (request._action == Prefetch) {
      H2File::prefetch(start, size, H2ReadModes::of_h2().has_huge_pages(start));
      H2Statistics::add(H2Statistics::PrefetchedBytes, (jlong)size);
    } else {
      TierMonitor::leaving(start, size);
      H2File::page_out(start, size, H2ReadModes::of_h2().has_huge_pages(start));
      H2Statistics::add(H2Statistics::PagedOutBytes, (jlong)size);
    }
  }
}

void H2Pager::stop_service() {
  MonitorLocker ml(_queue->_lock, Mutex::_no_safepoint_check_flag);
  ml.notify_all();
}

template <typename Function>
void H2Pager::request(oop obj, size_t max_bytes, Function for_piece) {
  if (!H2Range::contains(obj)) {
    return;
  }
  ResourceMark rm;
  GrowableArray<MemRegion> pieces;
  H2Clusters::pieces_of(cast_from_oop<HeapWord*>(obj), max_bytes, &pieces);
  MonitorLocker ml(_queue->_lock, Mutex::_no_safepoint_check_flag);
  for (int i = 0; i < pieces.length(); i++) {
    for_piece(pieces.at(i));
  }
  ml.notify_all();
}

// Whether the region stays in memory while memory has room for it. If not, earlier decisions are dropped.
static bool may_stay(H2Region* r) {
  if (!TierPlacer::is_enabled() || (TierPlacer::tier_of(r) != Tier::Slow && !TierPlacer::is_left_to_system())) {
    return true;
  }
  H2Residency::of_h2().release(r);
  return false;
}

void H2Pager::prefetch(oop obj) {
  request(obj, MaxPrefetchBytes, [](MemRegion piece) {
    if (may_stay(H2Heap::head_of(piece.start()))) {
      H2Residency::of_h2().comes_back(piece);
    }
    _queue->add(piece, Prefetch);
  });
}

// At the end of a region, the rest of the last page contains no other data, so it is included.
static MemRegion with_rest_of_page(MemRegion piece) {
  const H2Region* const r = H2Heap::head_of(piece.start());
  return piece.end() == r->top() ? MemRegion(piece.start(), H2Heap::end_of(r)) : piece;
}

static bool stays(MemRegion piece) {
  H2Region* const r = H2Heap::head_of(piece.start());
  return may_stay(r) ? H2Residency::of_h2().stays(piece) : !TierPlacer::slow_leaves();
}

void H2Pager::dismiss(oop obj) {
  if (!H2Storage::of_h2().reads_from_device()) {
    return;                             // its pages would be swapped out
  }
  request(obj, max_uintx, [](MemRegion piece) {
    if (!stays(piece)) {
      _queue->add(with_rest_of_page(piece), PageOut);
    }
  });
}
