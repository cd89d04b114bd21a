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
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farRefresher.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"

static const jlong IntervalMillis = 200;
static const jlong IdleMillis = 1000;
static const jlong TortureMillis = 2;
// The thread uses at most one twentieth of a processor.
static const jlong RestPerWork = 20;

FarRefresher* FarRefresher::_refresher = NULL;

FarRefresher::FarRefresher(const Work& work) :
  _monitor(new Monitor(Mutex::leaf, "FarRefresher monitor", true, Monitor::_safepoint_check_never)),
  _work(work), _is_notified(false) {
  set_name("%s", work.name);
  create_and_start();
}

bool FarRefresher::start(const Work& work) {
  _refresher = new FarRefresher(work);
  return _refresher->osthread() != NULL;
}

Monitor* FarRefresher::monitor() {
  return _refresher->_monitor;
}

void FarRefresher::notify() {
  MonitorLocker ml(monitor(), Mutex::_no_safepoint_check_flag);
  _refresher->_is_notified = true;
  ml.notify();
}

// Returns how long to sleep. The time spent waiting for a pause or a page does not count as work.
jlong FarRefresher::work() {
  const jlong start = os::current_thread_cpu_time();
  const bool is_marking = _work.refresh_if_marking();
  const bool is_swapped = FarPages::is_process_swapped();
  if (_work.adapt != NULL) {
    _work.adapt(is_swapped);
  }
  const bool is_idle = !is_marking && !is_swapped;
  const jlong took = (os::current_thread_cpu_time() - start) / NANOSECS_PER_MILLISEC;
  return MAX2(took * RestPerWork, FarMemoryTorture != 0 ? TortureMillis : is_idle ? IdleMillis : IntervalMillis);
}

void FarRefresher::run_service() {
  while (!should_terminate()) {
    const jlong rest = work();
    MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
    if (!should_terminate() && !_is_notified) {
      ml.wait(rest);
    }
    _is_notified = false;
  }
}

void FarRefresher::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}
