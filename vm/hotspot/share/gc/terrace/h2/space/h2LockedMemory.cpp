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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/space/h2LockedMemory.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Scratch.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"


// Counts the changes from the region before the first one to the region behind the last one.
uint H2Access::changes_around(uint first, uint count) const {
  const uint end = MIN2(first + count + 1, (uint)_accessible.size());
  uint changes = 0;
  for (uint i = MAX2(first, 1u); i < end; i++) {
    changes += _accessible.at(i) != _accessible.at(i - 1) ? 1 : 0;
  }
  return changes;
}

const char* H2Access::set(uint first, uint count, bool accessible) {
  const char* const error = H2File::set_access(H2Range::base() + first * H2RegionSize, count * H2RegionSize, accessible);
  if (error == NULL) {
    const uint before = changes_around(first, count);
    _accessible.at_put_range(first, first + count, accessible);
    _changes = _changes - before + changes_around(first, count);
  }
  return error;
}

const char* H2Access::allow(uint first, uint count) {
  return set(first, count, true);
}

void H2Access::deny(uint first, uint count) {
  if (_changes + 2 > MaxChanges) {
    return;
  }
  const char* const error = set(first, count, false);
  if (error != NULL) {
    log_debug(gc, h2)("Freed regions stay accessible: %s", error);
  }
}

static const jlong IntervalMillis = 250;

H2Unlocker::H2Unlocker() :
  _monitor(new Monitor(Mutex::leaf, "H2Unlocker monitor", true, Monitor::_safepoint_check_never)) {
  set_name("H2 Unlocker");
  create_and_start();
}

void H2Unlocker::start() {
  new H2Unlocker();
}

// Unlocks H2 if the process may have locked it. Returns an error message, or NULL.
static const char* unlock(bool* was_locked) {
  char* const bottom = H2Range::base();
  const size_t size = H2Range::byte_size();
  size_t before = 0;
  size_t after = 0;
  const char* error = H2File::locked_memory(&before);
  // mlockall counts a mapping as a whole, even if only a part of it is accessible.
  if (error != NULL || before < size) {
    return error;
  }
  // The system adds mapping by mapping while mlockall runs, so "before" may be a part of the sum. This
  // waits for mlockall.
  H2Scratch::unlock_reserved();
  error = H2File::unlock(bottom, os::vm_page_size());
  if (error == NULL) {
    error = H2File::locked_memory(&before);
  }
  if (error == NULL) {
    error = H2File::unlock(bottom, size);
  }
  if (error == NULL) {
    error = H2File::locked_memory(&after);
  }
  // Threads may have started and ended meanwhile, and their stacks count, too.
  *was_locked = error == NULL && after + size / 2 < before;
  return error;
}

void H2Unlocker::run_service() {
  bool failed = false;
  while (!should_terminate()) {
    bool was_locked = false;
    const char* const error = unlock(&was_locked);
    if (error != NULL && !failed) {
      log_warning(gc, h2)("H2 may be in locked memory (mlockall), and take memory that others need: %s", error);
      failed = true;
    }
    if (was_locked) {
      H2Statistics::add(H2Statistics::Unlocks, 1);
      log_warning(gc, h2)("The program locked its memory (mlockall). H2, " SIZE_FORMAT "M, was unlocked, other memory stays "
                          "locked", H2Range::byte_size() / M);
    }
    MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
    if (!should_terminate()) {
      ml.wait(IntervalMillis);
    }
  }
}

void H2Unlocker::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}
