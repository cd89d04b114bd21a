/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2LOCKEDMEMORY_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2LOCKEDMEMORY_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "memory/allocation.hpp"
#include "utilities/bitMap.hpp"

class Monitor;

// Keeps H2 out of locked memory. Programs such as Cassandra call mlockall, which reads every
// accessible mapping into memory and keeps it there. H2 is usually larger than memory, so two
// classes prevent that:
//
// * H2Access denies access to the mapping of unused regions, so mlockall finds nothing to read there.
// * H2Unlocker is a thread that detects locked memory, and unlocks H2.

// Controls which regions can be accessed through the mapping, at safepoints only.
class H2Access : public CHeapObj<mtGC> {
  // Each change of access between adjacent regions costs the process one mapping (vm.max_map_count,
  // 65530 by default), so their number is limited.
  static const uint MaxChanges = 16;

  CHeapBitMap _accessible;       // one bit per region
  uint        _changes;

  NONCOPYABLE(H2Access);

  uint changes_around(uint first, uint count) const;
  const char* set(uint first, uint count, bool accessible);

 public:
  // Called when H2 is mapped without access.
  H2Access(uint region_count) : _accessible(region_count, mtGC), _changes(0) {}

  // Returns NULL, or an error message.
  const char* allow(uint first, uint count);
  // If that fails or needs too many mappings, the regions stay accessible.
  void deny(uint first, uint count);
};

// Checks four times a second whether memory of the process is locked, and unlocks H2 if it is.
// Until then, mlockall reads at most as much of H2 as the device delivers in that time. These pages
// can be evicted afterwards.
class H2Unlocker : public ConcurrentGCThread {
  Monitor* _monitor;

  H2Unlocker();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void start();
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2LOCKEDMEMORY_HPP
