/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/far/farMarking.hpp"
#include "gc/terrace/far/farRefresher.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"

static const jlong IntervalMillis = 200;
static const jlong TortureIntervalMillis = 2;
// At most one twentieth of a processor.
static const jlong RestPerWork = 20;

FarRefresher* FarRefresher::_refresher = NULL;

FarRefresher::FarRefresher() :
  _monitor(new Monitor(Mutex::leaf, "FarRefresher monitor", true, Monitor::_safepoint_check_never)) {
  set_name("G1 Far Refresher");
  create_and_start();
}

bool FarRefresher::start() {
  _refresher = new FarRefresher();
  return _refresher->osthread() != NULL;
}

Monitor* FarRefresher::monitor() {
  return _refresher->_monitor;
}

void FarRefresher::notify() {
  MonitorLocker ml(monitor(), Mutex::_no_safepoint_check_flag);
  ml.notify();
}

void FarRefresher::run_service() {
  const jlong interval = FarMemoryTorture == 0 ? IntervalMillis : TortureIntervalMillis;
  jlong rest = interval;
  while (!should_terminate()) {
    {
      MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
      while (!FarMarking::is_marking() && !should_terminate()) {
        ml.wait();
      }
      if (!should_terminate()) {
        ml.wait(rest);
      }
    }
    if (FarMarking::is_marking()) {
      const jlong start = os::javaTimeNanos();
      FarMarking::refresh();
      rest = MAX2(interval, (os::javaTimeNanos() - start) * RestPerWork / NANOSECS_PER_MILLISEC);
    }
  }
}

void FarRefresher::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}
