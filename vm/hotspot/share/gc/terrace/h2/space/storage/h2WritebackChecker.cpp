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
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2/space/storage/h2WritebackChecker.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "runtime/java.hpp"
#include "runtime/mutexLocker.hpp"

static const jlong IntervalMillis = 1000;

H2WritebackChecker* H2WritebackChecker::_instance = NULL;

H2WritebackChecker::H2WritebackChecker(ErrorOf error_of_marks) :
  _monitor(new Monitor(Mutex::leaf, "H2WritebackChecker monitor", true, Monitor::_safepoint_check_never)),
  _retired(4, mtGC), _error_of_marks(error_of_marks) {
  set_name("H2 Writeback Checker");
  create_and_start();
}

void H2WritebackChecker::start(ErrorOf error_of_marks) {
  _instance = new H2WritebackChecker(error_of_marks);
  if (_instance->osthread() == NULL) {
    vm_exit_during_initialization("AllocateH2At needs a thread that checks for errors of the device, and none could be created");
  }
}

void H2WritebackChecker::retire(const H2Scratch& scratch) {
  MonitorLocker ml(_instance->_monitor, Mutex::_no_safepoint_check_flag);
  _instance->_retired.append(scratch);
  ml.notify();
}

bool H2WritebackChecker::next_retired(H2Scratch* scratch) {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  if (_retired.is_empty()) {
    return false;
  }
  *scratch = _retired.pop();
  return true;
}

void H2WritebackChecker::release_retired() {
  H2Scratch scratch;
  while (next_retired(&scratch)) {
    check(scratch.writeback_error());
    scratch.unmap();
  }
}

void H2WritebackChecker::check(const char* error) {
  if (error != NULL) {
    fatal("H2: %s: pages were lost when they were written back: %s. The data of the second heap is "
          "not trustworthy any more; check the device and its kernel messages", H2Storage::of_h2().flag(), error);
  }
}

void H2WritebackChecker::run_service() {
  while (!should_terminate()) {
    release_retired();
    check(H2File::writeback_error());
    check(_error_of_marks());
    MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
    if (!should_terminate() && _retired.is_empty()) {
      ml.wait(IntervalMillis);
    }
  }
}

void H2WritebackChecker::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}
