/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERMONITOR_HPP
#define SHARE_GC_TERRACE_TIERS_TIERMONITOR_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/tiers/tierMap.hpp"
#include "gc/terrace/tiers/tierRate.hpp"
#include "memory/memRegion.hpp"

class Monitor;

// Finds out which regions the program accesses, and has hot ones change places with
// colder ones in fast memory (after Panthera, section 4: there an RDD's calls are
// counted, and a major collection moves its objects). With H2TierPolicy=writes only
// writes are accesses.
//
// A turn comes to each region at most once in H2SampleInterval: its pages that were
// accessed since the last turn are counted (TierAccesses). Of a run of many regions a
// piece is watched, another one each time. H2SampleBudget bounds what that costs, with
// the page faults of the program; so the more there is in H2, the longer a turn takes.
class TierMonitor : public ConcurrentGCThread {
  static const uint MaxSamples = 8;

  static TierMonitor* _instance;

  Monitor* const _map_lock;
  TierMap* const _map;
  Monitor* const _monitor;
  TierRate       _time;             // of a processor, in nanoseconds
  TierRate       _bytes;            // that may move
  jlong          _turn_began;
  jlong          _migrated_at;

  TierMonitor(Monitor* map_lock, TierMap* map, jlong now);
  bool wait_for_next();
  void begin_turn_in_time(jlong now);
  uint take(TierMap::Sample* samples);
  size_t look_at(const TierMap::Sample& sample);
  void sample();
  void migrate(jlong now);
  static MemRegion piece_of(uint head, uint piece);
  static uint epoch();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // The lock guards the map.
  static void start(Monitor* map_lock, TierMap* map);

  // Pages are about to leave the mapping, accessed or not.
  static void leaving(char* start, size_t size);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERMONITOR_HPP
