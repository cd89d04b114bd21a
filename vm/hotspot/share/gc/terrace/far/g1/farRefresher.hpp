/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARREFRESHER_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARREFRESHER_HPP

#include "gc/shared/concurrentGCThread.hpp"

class Monitor;

// The thread that periodically finds absent pages of the heap while marking runs. While the process
// swaps, it also releases the memory of free regions, and fits the young generation to local
// memory.
class FarRefresher : public ConcurrentGCThread {
  static FarRefresher* _refresher;

  Monitor* const _monitor;
  bool (*const   _refresh_if_marking)();
  bool           _is_notified;

  FarRefresher(bool (*refresh_if_marking)());

  jlong work();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // refresh_if_marking finds the absent pages if marking runs. Otherwise it returns false. Returns
  // false if the thread cannot be created.
  static bool start(bool (*refresh_if_marking)());
  // Called when marking has begun, to refresh more often.
  static void notify();
  static Monitor* monitor();
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARREFRESHER_HPP
