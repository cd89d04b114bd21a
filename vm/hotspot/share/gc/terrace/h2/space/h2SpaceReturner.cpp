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
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2SpaceReturner.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/thread.hpp"

H2SpaceReturner::H2SpaceReturner(uint region_count) :
  _monitor(new Monitor(Mutex::leaf, "H2SpaceReturner monitor", true, Monitor::_safepoint_check_never)),
  _regions(region_count), _has_work(false), _has_failed(false) {
  set_name("H2 Space Returner");
  create_and_start();
}

void H2SpaceReturner::freed(uint first, uint count) {
  _regions.freed(first, count);
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  _has_work = true;
  ml.notify();
}

uint H2SpaceReturner::reuse(uint first, uint count) {
  const uint full = _regions.reuse(first, count);
  if (full != 0) {
    H2Statistics::add(H2Statistics::ReusedRegions, full);
    log_debug(gc, h2)("%u of %u regions from %u on were reused before their space was uncommitted", full, count, first);
  }
  return full;
}

uint H2SpaceReturner::pending() const {
  return _regions.full_count();
}

bool H2SpaceReturner::return_now(uint count) {
  uint returned = 0;
  while (returned < count && give_back_next()) {
    returned++;
  }
  log_debug(gc, h2)("The device is full: the space of %u free regions was uncommitted", returned);
  return returned != 0;
}

// Waits until no pause is active, or the region is wanted.
void H2SpaceReturner::await_program(uint index) {
  while (SafepointSynchronize::is_at_safepoint() && !Thread::current()->is_VM_thread() && !_regions.is_wanted(index) &&
         !should_terminate()) {
    os::naked_short_sleep(1);
  }
}

// Returns whether the space of the region was returned.
bool H2SpaceReturner::give_back(uint index) {
  char* const start = H2Range::base() + index * H2RegionSize;
  for (size_t done = 0; done < H2RegionSize; done += Portion) {
    await_program(index);
    if (_regions.is_wanted(index)) {
      return false;
    }
    const char* const error = H2File::release(start + done, MIN2(Portion, H2RegionSize - done));
    if (error != NULL) {
      if (!_has_failed) {
        log_warning(gc, h2)("Space of a freed region stays allocated in %s: %s. H2 will use it again, but "
                            "others cannot", H2Storage::of_h2().flag(), error);
      } else {
        log_debug(gc, h2)("Space of a freed region stays allocated: %s", error);
      }
      _has_failed = true;
      return false;
    }
  }
  H2Statistics::add(H2Statistics::ReturnedRegions, 1);
  log_debug(gc, h2)("Uncommitted the space of free region %u", index);
  return true;
}

// Returns false if there was no region, or if another attempt makes no sense.
bool H2SpaceReturner::give_back_next() {
  const uint index = _regions.claim();
  if (index == H2FreedRegions::None) {
    return false;
  }
  const bool is_empty = give_back(index);
  const bool is_wanted = _regions.is_wanted(index);
  _regions.finish(index, is_empty);
  return is_empty || is_wanted;
}

void H2SpaceReturner::run_service() {
  while (!should_terminate()) {
    if (give_back_next()) {
      continue;
    }
    // Failed regions are tried again later, or when more regions are freed.
    MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
    if (!_has_work && !should_terminate()) {
      ml.wait(_regions.full_count() != 0 ? RetryMillis : 0);
    }
    _has_work = false;
  }
}

void H2SpaceReturner::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}
