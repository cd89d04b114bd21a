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
#include "gc/terrace/h2/h2Clusters.hpp"
#include "gc/terrace/h2/h2File.hpp"
#include "gc/terrace/h2/h2Prefetcher.hpp"
#include "gc/terrace/h2/h2Statistics.hpp"
#include "gc/terrace/terraceHooks.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/mutexLocker.hpp"

H2Prefetcher* H2Prefetcher::_instance = NULL;

H2Prefetcher::H2Prefetcher() :
  _lock(new Monitor(Mutex::leaf, "H2Prefetcher_lock", true, Mutex::_safepoint_check_never)), _head(0), _count(0) {
  set_name("H2 Prefetcher");
  create_and_start();
}

void H2Prefetcher::initialize() {
  _instance = new H2Prefetcher();
}

void H2Prefetcher::add(MemRegion piece) {
  if (_count == QueueLength) {
    _head = (_head + 1) % QueueLength;
    _count--;
  }
  _queue[(_head + _count) % QueueLength] = piece;
  _count++;
}

// Waits for a request. Empty when the VM ends.
MemRegion H2Prefetcher::take() {
  MonitorLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  while (_count == 0 && !should_terminate()) {
    ml.wait();
  }
  if (should_terminate()) {
    return MemRegion();
  }
  const MemRegion piece = _queue[_head];
  _head = (_head + 1) % QueueLength;
  _count--;
  return piece;
}

void H2Prefetcher::run_service() {
  MemRegion piece;
  while (!(piece = take()).is_empty()) {
    H2File::prefetch((char*)piece.start(), piece.byte_size());
    H2Statistics::add(H2Statistics::PrefetchedBytes, (jlong)piece.byte_size());
  }
}

void H2Prefetcher::stop_service() {
  MonitorLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  ml.notify();
}

void H2Prefetcher::prefetch(oop obj) {
  if (!TerraceHooks::is_in_h2_range(obj)) {
    return;
  }
  ResourceMark rm;
  GrowableArray<MemRegion> pieces;
  H2Clusters::pieces_of(cast_from_oop<HeapWord*>(obj), MaxBytes, &pieces);
  MonitorLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  for (int i = 0; i < pieces.length(); i++) {
    _instance->add(pieces.at(i));
  }
  ml.notify();
}
