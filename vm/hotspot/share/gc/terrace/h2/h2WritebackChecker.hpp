/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2WRITEBACKCHECKER_HPP
#define SHARE_GC_TERRACE_H2_H2WRITEBACKCHECKER_HPP

#include "gc/shared/concurrentGCThread.hpp"

class Monitor;

// Asks the kernel, about once a second, whether writing back pages of H2
// failed: pages that transfers wrote and pages that the program changed through
// the mapping. No call that writes reports that, and once the kernel drops such
// a page, H2 holds stale data. So the first error stops the VM.
class H2WritebackChecker : public ConcurrentGCThread {
  Monitor* _monitor;

  H2WritebackChecker();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void start();
  // Ends the VM if there is an error.
  static void check(const char* error);
};

#endif // SHARE_GC_TERRACE_H2_H2WRITEBACKCHECKER_HPP
