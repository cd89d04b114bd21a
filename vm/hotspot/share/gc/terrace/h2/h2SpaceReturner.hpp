/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2SPACERETURNER_HPP
#define SHARE_GC_TERRACE_H2_H2SPACERETURNER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/h2FreedRegions.hpp"
#include "utilities/globalDefinitions.hpp"

class Monitor;

// The thread that gives the space of freed regions back to the file system, so
// that no pause waits for it. To change the allocation of a file takes a
// lock that writes and page faults wait for, so it does so by small portions, and
// begins none in a pause, where transfers write.
class H2SpaceReturner : public ConcurrentGCThread {
  static const size_t Portion = 8 * M;
  static const jlong  RetryMillis = 10 * 1000;

  static H2SpaceReturner* _instance;

  Monitor*       _monitor;
  H2FreedRegions _regions;
  bool           _has_work;
  // What it has lastly been told, so that it is not said for each region.
  volatile bool  _has_failed;

  H2SpaceReturner(uint region_count);

  void await_program(uint index);
  bool give_back(uint index);
  bool give_back_next();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void start(uint region_count);

  // At a safepoint: these regions are free, and have space on the device.
  static void freed(uint first, uint count);
  // Ditto: they are about to be used, with or without it. Returns the number of regions that may
  // still have old contents.
  static uint reuse(uint first, uint count);
  // Ditto: the device is full. Gives back the space of so many regions at once.
  // Returns false if there was none.
  static bool return_now(uint count);
  // Free regions whose space has yet to be given back.
  static uint pending();
};

#endif // SHARE_GC_TERRACE_H2_H2SPACERETURNER_HPP
