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
#include "gc/terrace/tiers/tierHeat.hpp"
#include "gc/terrace/tiers/tierMonitor.hpp"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "runtime/globals.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"

static const size_t SampledBytes = 2 * M;     // a huge page
static const jlong TurnsPerInterval = 64;
static const jlong HorizonIntervals = 32;
static const jlong BeginNanos = 64 * 1000;    // to begin a window, with reserve
static const jlong MaxWaitMillis = 100;
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
  _bytes((double)H2MigrationRate, MAX2((double)H2SampleInterval / MILLIUNITS, 1.0), now), _turn_began(now), _migrated_at(now),
  _window(interval_nanos()) {
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
  const bool is_empty = H2Heap::heap().free_count() == H2Heap::region_count();
  const jlong millis = is_empty ? EmptyWaitMillis : clamp((jlong)H2SampleInterval / TurnsPerInterval, MinWaitMillis, MaxWaitMillis);
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
  const jlong time = now - _turn_began;
  if (time < interval_nanos() / TurnsPerInterval || !_map->is_turn_over()) {
    return;
  }
  if (_window.turn_over()) {
    log_debug(gc, h2)("Tiers: accesses are watched for %.2f ms", (double)_window.nanos() / NANOSECS_PER_MILLISEC);
  }
  const float weight = (float)time / (HorizonIntervals * interval_nanos());
  _map->begin_turn(clamp(weight, TierHeat::LeastWeight + 0, TierHeat::MostWeight + 0));
  _turn_began = now;
}

// Returns a piece of the used part of a run. Pieces with consecutive numbers are spread over the run (golden ratio).
MemRegion TierMonitor::piece_of(uint head, uint piece) {
  const H2Region* const r = H2Heap::region(head);
  HeapWord* const bottom = H2Heap::bottom_of(r);
  HeapWord* const top = align_up(r->top(), os::vm_page_size());
  if (top <= bottom) {
    return MemRegion();                 // the run has died
  }
  const size_t words = pointer_delta(top, bottom);
  const size_t piece_words = SampledBytes / HeapWordSize;
  const size_t pieces = (words + piece_words - 1) / piece_words;
  HeapWord* const start = bottom + (size_t)(((uint64_t)(piece * 2654435769u) * pieces) >> 32) * piece_words;
  return MemRegion(start, MIN2(start + piece_words, top));
}

// Changes when the VM itself reads all of H2. Windows in which it did so say nothing about the program.
uint TierMonitor::epoch() {
  const bool verifies = VerifyH2 || VerifyBeforeGC || VerifyAfterGC;
  return (uint)H2Statistics::get(H2Statistics::DeepMarkings) + (uint)H2AheadMarker::all_followed_objects() +
         (verifies ? Universe::heap()->total_collections() : 0);
}

// All windows begin in a small part of the first one.
uint TierMonitor::most_looks() const {
  return (uint)clamp(_window.part_nanos() / BeginNanos, (jlong)1, (jlong)MaxLooks);
}

// Returns 0 if no samples remain in this turn, or none are available now.
uint TierMonitor::take() {
  TierMap::Sample samples[64];
  const uint most = most_looks();
  uint count = 0;
  bool is_more = true;
  while (count < most && is_more) {
    uint added = 0;
    {
      MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
      is_more = !_map->is_turn_over() && !_map->is_transferring();
      added = is_more ? _map->next_samples(samples, MIN2(most - count, (uint)ARRAY_SIZE(samples))) : 0;
    }
    for (uint i = 0; i < added; i++) {
      _looks[count++].sample = samples[i];
    }
  }
  return count;
}

void TierMonitor::wait_until(jlong time) {
  static const jlong VeryShort = 50 * 1000;   // a thread that sleeps wakes up later
  static const jlong Short = 2 * NANOSECS_PER_MILLISEC;
  jlong left;
  while (!should_terminate() && (left = time - os::javaTimeNanos()) > 0) {
    if (left < VeryShort) {
      SpinPause();
    } else if (left < Short) {
      os::naked_short_nanosleep(left);
    } else {
      MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
      if (!should_terminate()) {
        ml.wait(left / NANOSECS_PER_MILLISEC);
      }
    }
  }
}

void TierMonitor::begin(Look* look) {
  look->piece = piece_of(look->sample.head, look->sample.piece);
  look->epoch = epoch();
  look->is_known = !look->piece.is_empty() && TierAccesses::watch((char*)look->piece.start(), look->piece.byte_size());
  look->begun = os::javaTimeNanos();
  if (look->is_known) {
    MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
    _map->watched(look->sample);
  }
}

void TierMonitor::count_early(Look* look) {
  look->early_pages = 0;
  look->is_known = look->is_known && TierAccesses::count((char*)look->piece.start(), look->piece.byte_size(), &look->early_pages);
  look->early_time = os::javaTimeNanos() - look->begun;
}

// Returns the number of accessed pages.
size_t TierMonitor::count(const Look& look) {
  size_t accessed = 0;
  const bool is_known = look.is_known && look.epoch == epoch() &&
                        TierAccesses::count((char*)look.piece.start(), look.piece.byte_size(), &accessed);
  const jlong time = os::javaTimeNanos() - look.begun;
  const size_t pages = is_known ? look.piece.byte_size() / os::vm_page_size() : 0;
  if (is_known) {
    _window.add(look.early_pages, look.early_time, accessed, time, pages, look.sample.is_hot);
  }
  MutexLocker ml(_map_lock, Mutex::_no_safepoint_check_flag);
  _map->observed(look.sample, accessed, pages, (float)_window.nanos() / MAX2(time, (jlong)1));
  return accessed;
}

// Returns the number of samples.
uint TierMonitor::look_at_some() {
  const jlong start = os::current_thread_cpu_time();
  const uint looks = take();
  size_t accessed = 0;
  if (looks > 0) {
    for (uint i = 0; i < looks; i++) {
      begin(&_looks[i]);
    }
    wait_until(_looks[0].begun + _window.part_nanos());
    for (uint i = 0; i < looks; i++) {
      count_early(&_looks[i]);
    }
    wait_until(_looks[0].begun + _window.nanos());
    for (uint i = 0; i < looks; i++) {
      accessed += count(_looks[i]);
    }
  }
  const jlong nanos = os::current_thread_cpu_time() - start;
  _time.use((double)nanos + (double)accessed * TierAccesses::touch_nanos());
  H2Statistics::add(H2Statistics::Samples, looks);
  H2Statistics::add(H2Statistics::SampleNanos, nanos);
  return looks;
}

void TierMonitor::sample() {
  uint looks = 1;
  while (looks > 0 && !should_terminate() && _time.left(os::javaTimeNanos()) > 0) {
    looks = look_at_some();
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
