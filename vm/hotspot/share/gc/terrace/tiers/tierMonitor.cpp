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
#include "gc/shared/collectedHeap.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierAccesses.hpp"
#include "gc/terrace/tiers/tierMonitor.hpp"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "runtime/globals.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"

static const size_t SampledBytes = 16 * M;
static const jlong MaxWaitMillis = 250;
static const jlong MinWaitMillis = 5;
static const jlong EmptyWaitMillis = 1000;

TierMonitor* TierMonitor::_instance = NULL;

static jlong interval_nanos() {
  return (jlong)H2SampleInterval * NANOSECS_PER_MILLISEC;
}

TierMonitor::TierMonitor(Monitor* map_lock, TierMap* map, jlong now) :
  _map_lock(map_lock), _map(map),
  _monitor(new Monitor(Mutex::leaf, "TierMonitor monitor", true, Monitor::_safepoint_check_never)),
  _time((double)H2SampleBudget / 100 * NANOSECS_PER_SEC, 1, now),
  _bytes((double)H2MigrationRate, MAX2((double)H2SampleInterval / MILLIUNITS, 1.0), now), _turn_began(now), _migrated_at(now) {
  set_name("H2 Tier Monitor");
  create_and_start();
}

void TierMonitor::start(Monitor* map_lock, TierMap* map) {
  TierMonitor* const monitor = new TierMonitor(map_lock, map, os::javaTimeNanos());
  if (monitor->osthread() == NULL) {
    log_warning(gc, h2)("H2TierPolicy=%s: no thread could be created; tiers follow hints only", H2TierPolicy);
    return;
  }
  _instance = monitor;
}

bool TierMonitor::wait_for_next() {
  const bool is_empty = H2Heap::free_count() == H2Heap::region_count();
  const jlong millis = is_empty ? EmptyWaitMillis : clamp((jlong)H2SampleInterval / 4, MinWaitMillis, MaxWaitMillis);
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  if (!should_terminate()) {
    ml.wait(millis);
  }
  return !should_terminate();
}

void TierMonitor::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}

void TierMonitor::run_service() {
  while (wait_for_next()) {
    const jlong now = os::javaTimeNanos();
    begin_turn_in_time(now);
    sample();
    if (now - _migrated_at >= interval_nanos()) {
      _migrated_at = now;
      migrate(now);
    }
  }
}

void TierMonitor::begin_turn_in_time(jlong now) {
  MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
  if (now - _turn_began >= interval_nanos() && _map->is_turn_over()) {
    log_debug(gc, h2)("Tiers: sampling all regions took %.1f s", (double)(now - _turn_began) / NANOSECS_PER_SEC);
    _map->begin_turn();
    _turn_began = now;
  }
}

// Returns one piece of the used part of a run.
MemRegion TierMonitor::piece_of(uint head, uint piece) {
  const H2Region* const r = H2Heap::region(head);
  HeapWord* const bottom = H2Heap::bottom_of(r);
  HeapWord* const top = align_up(r->top(), os::vm_page_size());
  if (top <= bottom) {
    return MemRegion();                 // the run has died
  }
  const size_t words = pointer_delta(top, bottom);
  const size_t piece_words = SampledBytes / HeapWordSize;
  HeapWord* const start = bottom + piece % ((words + piece_words - 1) / piece_words) * piece_words;
  return MemRegion(start, MIN2(start + piece_words, top));
}

// Changes when the VM itself reads all of H2. Windows in which it did so say nothing about the program.
uint TierMonitor::epoch() {
  const bool verifies = VerifyH2 || VerifyBeforeGC || VerifyAfterGC;
  return (uint)H2Statistics::get(H2Statistics::DeepMarkings) + (uint)H2AheadMarker::all_followed_objects() +
         (verifies ? Universe::heap()->total_collections() : 0);
}

// Returns 0 if no samples remain in this turn, or none are available now.
uint TierMonitor::take(TierMap::Sample* samples) {
  uint count = 0;
  bool is_more = true;
  while (count == 0 && is_more) {
    MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
    is_more = !_map->is_turn_over() && !_map->is_transferring();
    count = is_more ? _map->next_samples(samples, MaxSamples) : 0;
  }
  return count;
}

// Returns the number of accessed pages.
size_t TierMonitor::look_at(const TierMap::Sample& sample) {
  const MemRegion piece = piece_of(sample.head, sample.piece);
  const MemRegion next = piece_of(sample.head, sample.piece + 1);
  size_t accessed = 0;
  const bool is_known = sample.is_watched && !piece.is_empty() &&
                        TierAccesses::count((char*)piece.start(), piece.byte_size(), &accessed);
  const uint now = epoch();
  const bool is_watched = !next.is_empty() && TierAccesses::watch((char*)next.start(), next.byte_size());
  MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
  _map->observed(sample, accessed, is_known ? piece.byte_size() / os::vm_page_size() : 0, is_watched, now);
  return accessed;
}

void TierMonitor::sample() {
  TierMap::Sample samples[MaxSamples];
  uint count = 1;
  while (count > 0 && !should_terminate() && _time.left(os::javaTimeNanos()) > 0) {
    const jlong start = os::current_thread_cpu_time();
    size_t accessed = 0;
    count = take(samples);
    for (uint i = 0; i < count; i++) {
      accessed += look_at(samples[i]);
    }
    const jlong nanos = os::current_thread_cpu_time() - start;
    _time.use((double)nanos + (double)accessed * TierAccesses::touch_nanos());
    H2Statistics::add(H2Statistics::Samples, count);
    H2Statistics::add(H2Statistics::SampleNanos, nanos);
  }
}

void TierMonitor::migrate(jlong now) {
  const double bytes = _bytes.left(now);
  if (bytes <= 0) {
    return;
  }
  TierMigration migration;
  bool is_more = true;
  while (is_more && !should_terminate()) {
    MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
    is_more = _map->offer(&migration);
  }
  size_t to_fast = 0;
  size_t to_slow = 0;
  {
    MonitorLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
    _map->migrate(migration, (size_t)bytes, &to_fast, &to_slow);
    ml.notify();                        // the placer moves pages
  }
  _bytes.use((double)to_fast + (double)to_slow);
  H2Statistics::add(H2Statistics::MigratedToFastBytes, (jlong)to_fast);
  H2Statistics::add(H2Statistics::MigratedToSlowBytes, (jlong)to_slow);
  if (to_fast > 0) {
    log_info(gc, h2)("Tiers: " SIZE_FORMAT "M of hot regions become fast, " SIZE_FORMAT "M of colder ones slow", to_fast / M,
                     to_slow / M);
  }
}

void TierMonitor::leaving(char* start, size_t size) {
  if (_instance == NULL) {
    return;
  }
  const uint head = H2Heap::head_index_of(start);
  uint number;
  {
    MutexLocker ml(_instance->_map_lock, Mutex::_no_safepoint_check_flag);
    if (!_instance->_map->is_watched(head, &number)) {
      return;
    }
  }
  const MemRegion piece = piece_of(head, number);
  char* const from = MAX2(align_down(start, os::vm_page_size()), (char*)piece.start());
  char* const to = MIN2(align_up(start + size, os::vm_page_size()), (char*)piece.end());
  size_t pages;
  if (from < to && TierAccesses::take(from, (size_t)(to - from), &pages)) {
    MutexLocker ml(_instance->_map_lock, Mutex::_no_safepoint_check_flag);
    _instance->_map->take_pages(head, number, pages);
  }
}
