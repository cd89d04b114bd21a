/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERPLACER_HPP
#define SHARE_GC_TERRACE_TIERS_TIERPLACER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/tiers/tierMap.hpp"
#include "gc/terrace/tiers/tierPages.hpp"
#include "gc/terrace/tiers/tierRate.hpp"

class H2Region;
class Monitor;

// The thread that moves the pages of regions to their tier. Neither a program that places a label nor a pause waits
// for the device.
//
// Except for is_enabled, all functions require that tiers are on. The collector takes the lock at a safepoint. The
// thread holds it only for a part of a pass over regions.
class TierPlacer : public ConcurrentGCThread {
  static const uint MaxWork = 256;
  // By then, the system has usually written the dirty pages.
  static const int SecondLookMillis = 1000;
  // A run moves in parts of this size, so that the thread can stop, and keep to the rate.
  static const size_t MoveBytes = 16 * M;
  static const jlong MaxWaitMillis = 250;

  static TierPlacer* _instance;

  TierPages* const _pages;
  bool (*const _is_short)();
  Monitor* const _lock;
  TierMap        _map;              // guarded by _lock
  jlong          _second_look_at;   // in milliseconds, used only by this thread
  TierRate       _bytes;            // bytes that may move

  TierPlacer(TierMap::Policy policy, TierPages* pages, bool (*is_short)(), jlong now);
  bool must_slow_leave() const;
  void look_again_in_time(jlong now);
  uint take(TierMap::Work* work);
  void await_rate();
  void perform(const TierMap::Work& work);

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // Returns NULL, or an error message.
  static const char* check_flags();
  // Whether the flags, once checked, make some regions fast and others not.
  static bool has_tiers();
  // has_huge_pages tells whether the system reads the region of p in huge pages, and is_short whether memory has no room for
  // all of H2.
  static void initialize(bool (*has_huge_pages)(const void* p), bool (*is_short)());
  static bool is_enabled()          { return _instance != NULL; }

  // Called by a thread in the VM. Returns immediately.
  static void place(jlong label, Tier tier);
  static Tier tier_of(jlong label);
  static Tier tier_of(const H2Region* r);
  static size_t fast_bytes();
  // Whether accesses are sampled.
  static bool is_monitored()        { return is_enabled() && _instance->_map.is_monitored(); }
  static float heat_of(const H2Region* r);
  // Whether slow pages leave memory after use. While memory has room for them, this would only cost time.
  static bool slow_leaves()         { return _instance->must_slow_leave(); }
  // Whether the system decides alone, so that the program's dismissal of pages is only passed on to it.
  static bool is_left_to_system()   { return _instance->_map.policy() == TierMap::Lru; }

  // Called at a safepoint.
  static Tier tier_at_safepoint(jlong label);
  static void opened(const H2Region* r);
  static void grown(const H2Region* r);
  static void closed(const H2Region* r);
  static void collection_ended();
};

#endif // SHARE_GC_TERRACE_TIERS_TIERPLACER_HPP
