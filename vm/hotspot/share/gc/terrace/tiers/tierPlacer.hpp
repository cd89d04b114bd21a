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

// Moves the pages of regions to where their tier says, in a thread of its own:
// neither a program that places a label nor a pause waits for the device.
//
// All functions but is_enabled only with tiers. The collector takes the lock at
// a safepoint; the thread holds it for a part of a pass over regions.
class TierPlacer : public ConcurrentGCThread {
  static const uint MaxWork = 256;
  // By then the system has written what was dirty, in most cases.
  static const int SecondLookMillis = 1000;
  // Of a run that moves, so that it can end, and the rate be kept.
  static const size_t MoveBytes = 16 * M;
  static const jlong MaxWaitMillis = 250;

  static TierPlacer* _instance;

  TierPages* const _pages;
  Monitor* const _lock;
  TierMap        _map;              // guarded by _lock
  jlong          _second_look_at;   // in milliseconds; only this thread
  TierRate       _bytes;            // that may move

  TierPlacer(TierMap::Policy policy, TierPages* pages, jlong now);
  void look_again_in_time(jlong now);
  uint take(TierMap::Work* work);
  void await_rate();
  void perform(const TierMap::Work& work);

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // NULL, or what is wrong with the flags.
  static const char* check_flags();
  // By the flags, once they are checked: whether some regions are fast and others are not.
  static bool has_tiers();
  static void initialize();
  static bool is_enabled()          { return _instance != NULL; }

  // By a thread in the VM. Returns at once.
  static void place(jlong label, Tier tier);
  static Tier tier_of(jlong label);
  static Tier tier_of(const H2Region* r);
  static size_t fast_bytes();
  // Whether accesses are seen.
  static bool is_monitored()        { return is_enabled() && _instance->_map.is_monitored(); }
  static float heat_of(const H2Region* r);
  // Whether the program's dismissal of a part of this region is for the system only.
  static bool is_left_to_system()   { return _instance->_map.policy() == TierMap::Lru; }

  // At a safepoint.
  static Tier tier_at_safepoint(jlong label);
  static void opened(const H2Region* r);
  static void grown(const H2Region* r);
  static void closed(const H2Region* r);
  static void collection_ended();
};

#endif // SHARE_GC_TERRACE_TIERS_TIERPLACER_HPP
