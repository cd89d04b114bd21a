/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2SPACERETURNER_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2SPACERETURNER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/space/h2FreedRegions.hpp"
#include "utilities/globalDefinitions.hpp"

class Monitor;

// The thread that returns the space of freed regions to the file system, so that no pause waits for
// it. Changing the allocation of a file takes a lock that writes and page faults need. So the
// thread works in small portions, and does not start one during a pause, in which transfers write.
class H2SpaceReturner : public ConcurrentGCThread {
  static const size_t Portion = 8 * M;
  static const jlong  RetryMillis = 10 * 1000;

  Monitor*       _monitor;
  H2FreedRegions _regions;
  bool           _has_work;
  // Only the first failure is logged as a warning.
  volatile bool  _has_failed;

  void await_program(uint index);
  bool give_back(uint index);
  bool give_back_next();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  H2SpaceReturner(uint region_count);

  // Called at a safepoint when these regions have become free. They have space on the device.
  void freed(uint first, uint count);
  // Called at a safepoint before these regions are used. Returns the number of regions that may
  // still have old contents.
  uint reuse(uint first, uint count);
  // Called at a safepoint if the device is full. Returns the space of this many regions
  // immediately. Returns false if no region had space.
  bool return_now(uint count);
  // The number of free regions whose space has not been returned yet.
  uint pending() const;
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2SPACERETURNER_HPP
