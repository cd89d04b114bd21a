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

// The thread that finds hot regions of H2 and exchanges them with colder regions in fast memory (after Panthera,
// section 4). Panthera counts the calls of an RDD, and a major collection moves its objects. Here page accesses are
// sampled. With H2TierPolicy=writes only writes count as accesses.
//
// A turn visits each region at most once per H2SampleInterval, and counts the pages that were accessed since the
// last turn (TierAccesses). Of a large run, one piece is watched at a time. H2SampleBudget bounds the processor
// time, including the page faults of the program. So with more data in H2, a turn takes longer.
class TierMonitor : public ConcurrentGCThread {
  static const uint MaxSamples = 8;

  static TierMonitor* _instance;

  Monitor* const _map_lock;
  TierMap* const _map;
  Monitor* const _monitor;
  TierRate       _time;             // processor time in nanoseconds
  TierRate       _bytes;            // bytes that may move
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
  // The lock protects the map.
  static void start(Monitor* map_lock, TierMap* map);

  // Called before pages leave the mapping, whether they were accessed or not.
  static void leaving(char* start, size_t size);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERMONITOR_HPP
