/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2LOCKEDMEMORY_HPP
#define SHARE_GC_TERRACE_H2_H2LOCKEDMEMORY_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "memory/allStatic.hpp"
#include "utilities/bitMap.hpp"

class Monitor;

// Programs such as Cassandra call mlockall, which reads every mapping that it
// can access into memory and keeps it there. H2 is made to be larger than
// memory, so the lock must not hold for it:
//
// * H2Access: the mapping gives no access to regions that are not in use, so
//   that mlockall finds nothing to read there;
// * H2Unlocker: a thread that notices locked memory takes H2 out of it.

// Which regions can be accessed through the mapping. At safepoints only.
class H2Access : public AllStatic {
  // Each change of access from one region to the next costs the process one of
  // its mappings (vm.max_map_count, 65530 by default), so there are few.
  static const uint MaxChanges = 16;

  static BitMapView _accessible;        // by region
  static uint       _changes;

  static uint changes_around(uint first, uint count);
  static const char* set(uint first, uint count, bool accessible);

 public:
  // H2 is mapped without access.
  static void initialize(uint region_count);
  // NULL, or why there is no access.
  static const char* allow(uint first, uint count);
  // Where that fails, or takes too many mappings, the regions stay accessible.
  static void deny(uint first, uint count);
};

// Asks the kernel, four times a second, whether memory of the process is locked,
// and unlocks H2 then. What mlockall reads of H2 until that is bounded by what
// the device delivers in that time, and can be evicted afterwards.
class H2Unlocker : public ConcurrentGCThread {
  Monitor* _monitor;

  H2Unlocker();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void start();
};

#endif // SHARE_GC_TERRACE_H2_H2LOCKEDMEMORY_HPP
