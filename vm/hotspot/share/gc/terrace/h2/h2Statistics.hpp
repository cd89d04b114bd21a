/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2STATISTICS_HPP
#define SHARE_GC_TERRACE_H2_H2STATISTICS_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Counters over the life of the VM. The order is what
// org.terrace.SecondHeap.statistics0 returns; append only.
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
    MinorScanNanos,      // summed over workers
    MinorScannedCards,
    DueBytes,            // -1: not estimated
    PrefetchedBytes,
    DeepMarkings,
    PagedOutBytes,
    MajorScannedCards,   // once by marking and once by adjustment
    WaitNanos,           // of threads of the program for pages, summed over threads; -1: not known
    UnplacedWaitNanos,   // ditto, where it is not known whether the page was one of H2
    Unlocks,             // times that H2 was taken out of locked memory
    Samples,             // of a run of regions, for its accesses; -1: there are none
    SampleNanos,         // of processor time, without page faults of the program
    MigratedToFastBytes, // because of accesses
    MigratedToSlowBytes, // ditto
    ReturnedRegions,     // freed ones whose space the file system has back
    ReusedRegions,       // freed ones that were used again before that
    EvacuatedRegions,    // emptied into others
    EvacuatedBytes,      // of objects that were moved for it
    AheadMarkings,       // deep markings that began beside the program
    AheadObjects,        // followed there, whether a deep marking came or not
    MovedTargetCards,    // of MajorScannedCards, those read because an object that they refer to slid in H1
    MinorReadBytes,      // from devices, in the pauses of minor collections
    MajorReadBytes,      // from devices, in the pauses of major collections
    ReleasedHeapBytes,   // of H1, for pages of H2 (H2UnusedHeap)
    MinorCardPages,      // of the card table, read by minor collections
    CounterCount
  };

 private:
  static volatile jlong _counters[CounterCount];

 public:
  static void  add(Counter c, jlong delta);
  static jlong get(Counter c);
};

#endif // SHARE_GC_TERRACE_H2_H2STATISTICS_HPP
