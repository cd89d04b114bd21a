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
#include "gc/terrace/tiers/tierWindow.hpp"
#include "memory/memRegion.hpp"

class Monitor;

// The thread that finds hot regions of H2 and exchanges them with colder regions in fast memory (after Panthera,
// section 4). Panthera counts the calls of an RDD, and a major collection moves its objects. Here page accesses are
// sampled. With H2TierPolicy=writes only writes count as accesses.
//
// A turn visits each region once, and watches 2 MB of it for a short time (TierWindow). It counts the pages that were
// accessed in this time (TierAccesses). The next turn watches other 2 MB of the region. There are up to 64 turns in an
// H2SampleInterval, at the end of which regions migrate. H2SampleBudget bounds the processor time, including the page
// faults of the program. So with more data in H2, a turn takes longer.
class TierMonitor : public ConcurrentGCThread {
  static const uint MaxLooks = 1024;

  // A sample in its window.
  struct Look {
    TierMap::Sample sample;
    MemRegion       piece;
    size_t          early_pages;
    jlong           early_time;       // nanoseconds from the beginning to the first count
    jlong           begun;
    uint            epoch;
    bool            is_known;
  };

  static TierMonitor* _instance;

  Monitor* const _map_lock;
  TierMap* const _map;
  Monitor* const _monitor;
  TierRate       _time;             // processor time in nanoseconds
  TierRate       _bytes;            // bytes that may move
  jlong          _turn_began;
  jlong          _migrated_at;
  TierWindow     _window;
  Look           _looks[MaxLooks];

  TierMonitor(Monitor* map_lock, TierMap* map, jlong now);
  bool wait_for_next();
  void begin_turn_in_time(jlong now);
  uint most_looks() const;
  uint take();
  void wait_until(jlong time);
  void begin(Look* look);
  void count_early(Look* look);
  size_t count(const Look& look);
  uint look_at_some();
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
