/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARREFRESHER_HPP
#define SHARE_GC_TERRACE_FAR_FARREFRESHER_HPP

#include "gc/shared/concurrentGCThread.hpp"

class Monitor;

// The thread that periodically finds absent pages of the heap while marking runs. The collector may have other work for
// it while the process swaps.
class FarRefresher : public ConcurrentGCThread {
 public:
  struct Work {
    const char* name;                     // of the thread
    bool (*refresh_if_marking)();         // finds the absent pages if marking runs, and otherwise returns false
    void (*adapt)(bool is_swapped);       // called after it, or NULL. is_swapped: a part of the process is swapped out
  };

 private:
  static FarRefresher* _refresher;

  Monitor* const _monitor;
  const Work     _work;
  bool           _is_notified;

  FarRefresher(const Work& work);

  jlong work();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // Returns false if the thread cannot be created.
  static bool start(const Work& work);
  // Called when marking has begun, to refresh more often.
  static void notify();
  static Monitor* monitor();
};

#endif // SHARE_GC_TERRACE_FAR_FARREFRESHER_HPP
