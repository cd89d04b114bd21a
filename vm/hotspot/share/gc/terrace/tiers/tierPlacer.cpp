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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2RegionListener.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceFlags.hpp"
#include "gc/terrace/tiers/tierAccesses.hpp"
#include "gc/terrace/tiers/tierMonitor.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "jvm_io.h"
#include "logging/log.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/java.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "runtime/safepoint.hpp"

TierPlacer* TierPlacer::_instance = NULL;

const char* TierPlacer::check_flags() {
  TierMap::Policy policy;
  if (!TierMap::parse_policy(TerraceFlags::text(H2TierPolicy), &policy)) {
    static char message[160];
    jio_snprintf(message, sizeof(message), "H2TierPolicy=%.60s: must be hints, monitor, both, interleave, lru, slow or writes",
                 TerraceFlags::text(H2TierPolicy));
    return message;
  }
  if (H2FastSize == 0) {
    return policy == TierMap::Hints ? NULL : "H2TierPolicy is set, but not H2FastSize=<bytes>, which turns tiers on";
  }
  if (!H2Storage::is_requested()) {
    return "H2FastSize is set, but neither AllocateH2At=<directory> nor AllocateH2OnNode=<node>, which turn the second heap on";
  }
  if (H2FastSize < H2RegionSize) {
    return "H2FastSize must be at least H2RegionSize, as regions are fast as a whole; choose a larger H2FastSize or a smaller "
           "H2RegionSize";
  }
  return NULL;
}

static TierMap::Policy policy_of_flag() {
  TierMap::Policy policy = TierMap::Hints;
  TierMap::parse_policy(TerraceFlags::text(H2TierPolicy), &policy);   // the flag was checked
  return policy;
}

bool TierPlacer::has_tiers() {
  const TierMap::Policy policy = policy_of_flag();
  return H2FastSize != 0 && policy != TierMap::Lru && policy != TierMap::AllSlow && H2Storage::of_h2().has_fast_memory();
}

// Limits H2FastSize to the size of H2.
static void limit_fast_size() {
  if (H2FastSize > H2Heap::capacity()) {
    log_warning(gc, h2)("H2FastSize, " SIZE_FORMAT "M, is more than all of H2, " SIZE_FORMAT "M: H2FastSize=" SIZE_FORMAT "M is taken, with "
                        "which no region has to be slow; choose a smaller H2FastSize, or a larger H2Size",
                        H2FastSize / M, H2Heap::capacity() / M, H2Heap::capacity() / M);
    FLAG_SET_ERGO(H2FastSize, H2Heap::capacity());
  }
}

TierPlacer::TierPlacer(TierMap::Policy policy, TierPages* pages, bool (*is_short)(), jlong now) :
  _pages(pages), _is_short(is_short), _lock(new Monitor(Mutex::leaf, "TierPlacer_lock", true, Mutex::_safepoint_check_never)),
  _map(policy, H2FastSize, H2Heap::region_count(), H2RegionSize, pages->stay()), _second_look_at(max_jlong),
  _bytes((double)pages->most_per_second(), 1, now) {
  set_name("H2 Tiers");
  create_and_start();
}

class TierRegionListener : public H2RegionListener {
 public:
  virtual void opened(H2Region* head) { TierPlacer::opened(head); }
  virtual void closed(H2Region* head) { TierPlacer::closed(head); }
};

void TierPlacer::initialize(bool (*has_huge_pages)(const void* p), bool (*is_short)()) {
  if (H2FastSize == 0) {
    return;
  }
  limit_fast_size();
  TierMap::Policy policy = policy_of_flag();
  if (TierMap::is_monitored(policy)) {
    const TierAccesses::Kind kind = policy == TierMap::Writes ? TierAccesses::Writes : TierAccesses::All;
    char* const bottom = (char*)H2Heap::bottom_of(H2Heap::region(0));
    const char* const error = TierAccesses::open(kind, bottom, (size_t)H2Heap::region_count() * H2RegionSize);
    if (error != NULL) {
      log_warning(gc, h2)("H2TierPolicy=%s: accesses cannot be seen, as %s; tiers follow hints only", H2TierPolicy, error);
      policy = TierMap::Hints;
    }
  }
  log_info(gc, h2)("Tiers: up to " SIZE_FORMAT "M of H2 fast, policy %s", H2FastSize / M,
                   policy == TierMap::Hints ? "hints" : H2TierPolicy);
  if (H2FastSize + MaxHeapSize > os::physical_memory()) {
    log_warning(gc, h2)("H2FastSize and the heap together, " SIZE_FORMAT "M, exceed the available memory (" JULONG_FORMAT
                        "M): what is fast will be evicted; choose a smaller H2FastSize or -Xmx",
                        (H2FastSize + MaxHeapSize) / M, os::physical_memory() / M);
  }
  _instance = new TierPlacer(policy, TierPages::create(has_huge_pages), is_short, os::javaTimeNanos());
  if (_instance->osthread() == NULL) {
    vm_exit_during_initialization("H2FastSize needs a thread that moves pages, and none could be created");
  }
  H2Heap::heap().add_listener(new TierRegionListener());
  if (TierMap::is_monitored(policy)) {
    TierMonitor::start(_instance->_lock, &_instance->_map);
  }
}

void TierPlacer::look_again_in_time(jlong now) {
  if (!_map.is_second_look_needed()) {
    _second_look_at = max_jlong;
  } else if (_second_look_at == max_jlong) {
    _second_look_at = now + SecondLookMillis;
  } else if (_second_look_at <= now && !_map.is_sweep_needed()) {
    _map.look_again();
    _second_look_at = max_jlong;
  }
}

// Waits for work. Returns 0 when the VM ends.
uint TierPlacer::take(TierMap::Work* work) {
  MonitorLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  uint count = 0;
  while (count == 0 && !should_terminate()) {
    const jlong now = os::javaTimeNanos() / NANOSECS_PER_MILLISEC;
    look_again_in_time(now);
    const bool leaves = must_slow_leave();
    if (_map.has_left_out() && leaves) {
      _map.sweep_left_out();
    }
    if (_map.is_sweep_needed()) {
      count = _map.sweep(work, MaxWork, leaves);
      if (count == 0) {                 // let other threads take the lock
        ml.wait(1);
      }
    } else {
      const jlong next_look = _map.has_left_out() ? MIN2(_second_look_at, now + SecondLookMillis) : _second_look_at;
      ml.wait(next_look == max_jlong ? 0 : MAX2(next_look - now, (jlong)1));
    }
  }
  return count;
}

void TierPlacer::await_rate() {
  const size_t most = _pages->most_per_second();
  double left = 0;
  while (most > 0 && !should_terminate() && (left = _bytes.left(os::javaTimeNanos())) <= 0) {
    MonitorLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    ml.wait(clamp((jlong)(-left / (double)most * MILLIUNITS) + 1, (jlong)1, MaxWaitMillis));
  }
}

bool TierPlacer::must_slow_leave() const {
  const TierMap::Policy policy = _map.policy();
  return policy != TierMap::Lru && (policy == TierMap::AllSlow || _pages->stay() || _is_short());
}

void TierPlacer::perform(const TierMap::Work& work) {
  char* const start = (char*)H2Heap::bottom_of(H2Heap::region(work.head));
  const size_t size = (size_t)work.run_length * H2RegionSize;
  bool is_all = true;
  size_t moved = 0;
  for (size_t done = 0; done < size && !should_terminate(); done += MoveBytes) {
    await_rate();
    const size_t bytes = MIN2(MoveBytes, size - done);
    const size_t now = work.bring ? _pages->bring(start + done, bytes, &is_all) : _pages->give_back(start + done, bytes, &is_all);
    _bytes.use((double)now);
    moved += now;
    if (_map.is_monitored()) {
      MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
      _map.performed(work);
    }
  }
  if (!is_all) {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    _map.left_some(work);
  }
  // A file's pages were counted at the first look.
  const bool is_counted = work.is_second_look && !_pages->stay();
  H2Statistics::add(work.bring ? H2Statistics::PrefetchedBytes : H2Statistics::PagedOutBytes, is_counted ? 0 : (jlong)moved);
  log_debug(gc, h2)("Tiers: region %u, " SIZE_FORMAT "M, %s%s%s", work.head, moved / M, work.bring ? "fast" : "slow",
                    work.is_second_look ? ", again" : "", is_all ? "" : ", not all of it");
}

void TierPlacer::run_service() {
  TierMap::Work work[MaxWork];
  uint count;
  while ((count = take(work)) > 0) {
    for (uint i = 0; i < count && !should_terminate(); i++) {
      perform(work[i]);
    }
  }
}

void TierPlacer::stop_service() {
  MonitorLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  ml.notify();
}

void TierPlacer::place(jlong label, Tier tier) {
  MonitorLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  _instance->_map.place(label, tier);
  ml.notify();
}

Tier TierPlacer::tier_of(jlong label) {
  MutexLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  return _instance->_map.tier_of_label(label);
}

// Only threads in the VM change the tier.
Tier TierPlacer::tier_at_safepoint(jlong label) {
  assert_at_safepoint();
  return _instance->_map.tier_of_label(label);
}

Tier TierPlacer::tier_of(const H2Region* r) {
  return _instance->_map.tier_of_region(H2Heap::index_of_region(r));
}

float TierPlacer::heat_of(const H2Region* r) {
  return _instance->_map.heat_of_region(H2Heap::index_of_region(r));
}

size_t TierPlacer::fast_bytes() {
  MutexLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  return _instance->_map.fast_bytes();
}

void TierPlacer::opened(const H2Region* r) {
  MutexLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  _instance->_map.opened(H2Heap::index_of_region(r), r->run_length(), r->label());
}

void TierPlacer::grown(const H2Region* r) {
  MutexLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  _instance->_map.grown(H2Heap::index_of_region(r));
}

void TierPlacer::closed(const H2Region* r) {
  MonitorLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  _instance->_map.closed(H2Heap::index_of_region(r));
  if (_instance->_map.is_sweep_needed()) {
    ml.notify();                        // other regions wait for its space
  }
}

void TierPlacer::collection_ended() {
  MonitorLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  _instance->_map.collection_ended();
  ml.notify();
}
