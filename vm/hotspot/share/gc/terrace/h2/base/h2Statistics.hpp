/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_BASE_H2STATISTICS_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2STATISTICS_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Counters since the start of the VM. org.terrace.SecondHeap.statistics0 returns them in this order,
// so new counters must be appended. H2Snapshot computes those that nobody adds to.
class H2Statistics : public AllStatic {
 public:
  enum Counter {
    CapacityBytes,
    UsedBytes,
    RegionsInUse,
    RegionsTotal,
    RegionBytes,
    Transfers,
    FailedTransfers,
    MovedObjects,
    MovedBytes,
    TransferNanos,
    FreedRegions,
    TaggedRoots,
    MinorScanNanos,      // sum over workers
    MinorScannedCards,
    DueBytes,            // -1, because it is not estimated
    PrefetchedBytes,
    DeepMarkings,
    PagedOutBytes,
    MajorScannedCards,   // cards that marking scanned, plus cards that adjustment scanned
    WaitNanos,           // time that program threads waited for pages of H2, summed over threads; -1: unknown
    UnplacedWaitNanos,   // ditto, for pages that may not belong to H2
    Unlocks,             // how often H2 was removed from locked memory
    Samples,             // checks of the accesses to a run of regions; -1: accesses are not sampled
    SampleNanos,         // processor time of the samples, without page faults that they cause
    MigratedToFastBytes, // bytes that migrated because of accesses
    MigratedToSlowBytes, // ditto
    ReturnedRegions,     // freed regions whose space was returned to the file system
    ReusedRegions,       // freed regions that were reused before that
    EvacuatedRegions,    // regions whose objects were copied to other regions
    EvacuatedBytes,      // size of the copied objects
    AheadMarkings,       // deep markings that began concurrently
    AheadObjects,        // objects scanned concurrently, even if no deep marking followed
    MovedTargetCards,    // remembered cards in MajorScannedCards, scanned because a target moved in H1
    MinorReadBytes,      // bytes read from devices in pauses of minor collections
    MajorReadBytes,      // bytes read from devices in pauses of major collections
    ReleasedHeapBytes,   // memory of H1 that was released to make space for pages of H2 (H2UnusedHeap)
    MinorCardPages,      // pages of the card table that minor collections read
    CounterCount
  };

 private:
  static volatile jlong _counters[CounterCount];

 public:
  static void  add(Counter c, jlong delta);
  // The sum of what was added.
  static jlong get(Counter c);
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2STATISTICS_HPP
