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
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"

H2ReadModes* H2ReadModes::_of_h2 = NULL;

H2ReadModes::H2ReadModes(uint region_count) :
  _lock(new Mutex(Mutex::leaf, "H2ReadModes_lock", true, Mutex::_safepoint_check_never)), _observed(new H2LabelMap<Observed>()),
  _advice(NEW_C_HEAP_ARRAY(uint8_t, region_count, mtGC)), _advice_changes(0), _window_count(0), _is_newest_fresh(false) {
  memset(_advice, None, region_count);
}

bool H2ReadModes::are_found_out() {
  return FLAG_IS_DEFAULT(H2RandomAccess) && H2Storage::of_h2().reads_from_device();
}

H2ReadModes::Mode H2ReadModes::initial_mode(jlong label) {
  const bool is_random = are_found_out() ? H2Labels::is_unhinted(label) : H2RandomAccess;
  return is_random ? H2ReadPattern::Random : H2ReadPattern::Sequential;
}

H2ReadModes::Mode H2ReadModes::mode_of(jlong label) {
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  const Observed* const observed = _observed->get(label);
  return observed != NULL ? observed->pattern.mode() : initial_mode(label);
}

uint H2ReadModes::changes_of(jlong label) {
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  const Observed* const observed = _observed->get(label);
  return observed != NULL ? observed->changes : 0;
}

// Advice to the system.

// Counts the changes of advice from the region before the range to the region after it. now: the present number.
// then: the number if all regions of the range had the given advice.
void H2ReadModes::count_changes(uint first, uint count, uint8_t advice, uint* now, uint* then) {
  const uint end = first + count;
  const bool has_next = end < H2Heap::region_count();
  *now = 0;
  for (uint i = MAX2(first, 1u); i < end + (has_next ? 1 : 0); i++) {
    *now += _advice[i] != _advice[i - 1] ? 1 : 0;
  }
  *then = (first > 0 && _advice[first - 1] != advice ? 1 : 0) + (has_next && _advice[end] != advice ? 1 : 0);
}

void H2ReadModes::advise(uint first, uint count, Mode mode) {
  const bool is_random = mode == H2ReadPattern::Random;
  const uint8_t advice = is_random ? AsRandom : AsSequential;
  uint now;
  uint then;
  count_changes(first, count, advice, &now, &then);
  bool has_advice = true;
  for (uint i = first; i < first + count; i++) {
    has_advice = has_advice && _advice[i] == advice;
  }
  if (has_advice || (then > now && _advice_changes - now + then > MaxAdviceChanges)) {
    return;
  }
  char* const start = (char*)H2Heap::bottom() + first * H2RegionSize;
  if (is_random) {
    const bool had_huge_pages = H2HugePages && memchr(_advice + first, AsSequential, count) != NULL;
    H2File::advise_random(start, count * H2RegionSize, had_huge_pages);
  } else {
    H2File::advise_sequential(start, count * H2RegionSize);
  }
  memset(_advice + first, advice, count);
  _advice_changes = _advice_changes - now + then;
}

void H2ReadModes::opened(uint first, uint count, jlong label) {
  if (are_found_out()) {
    advise(first, count, mode_of(label));
  }
}

bool H2ReadModes::has_huge_pages(const void* p) {
  return H2HugePages && (!are_found_out() || _advice[H2Heap::index_of(p)] == AsSequential);
}

// Called when the mode has changed. New regions of the label already have it.
void H2ReadModes::apply(jlong label, Mode mode) {
  uint i = 0;
  bool has_more = true;
  while (has_more) {
    // Prevents safepoints.
    MutexLocker ml(Threads_lock);
    const uint end = MIN2(i + RegionsAtOnce, H2Heap::heap().committed_count());
    uint first = i;                     // the regions from this one to i have the label
    for (; i < end; i++) {
      H2Region* const r = H2Heap::region(i);
      if (r->is_free() || H2Heap::head_of_run(r)->label() != label) {
        if (first < i) {
          advise(first, i - first, mode);
        }
        first = i + 1;
      }
    }
    if (first < i) {
      advise(first, i - first, mode);
    }
    has_more = i < H2Heap::heap().committed_count();
  }
}

// Evidence from page faults.

void H2ReadModes::observe(jlong label, Mode seen, int weight) {
  uint changes;
  int needed;
  {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    if (_observed->count() == MaxLabels && !_observed->contains(label)) {
      return;
    }
    const Observed fresh = { H2ReadPattern(initial_mode(label)), 0 };
    Observed* const observed = _observed->put_if_absent(label, fresh);
    if (!observed->pattern.observe(seen, weight)) {
      return;
    }
    changes = ++observed->changes;
    needed = observed->pattern.needed();
  }
  log_info(gc, h2)("Label " JLONG_FORMAT " is read %s, by page faults (change %u, %d observations undo it)",
                   label, seen == H2ReadPattern::Random ? "at random" : "sequentially", changes, needed);
  apply(label, seen);
}

static size_t missing_pages(char* start, size_t size) {
  return (size - H2File::resident(start, size)) / (size_t)os::vm_page_size();
}

void H2ReadModes::waited(const void* p, MemRegion used, jlong label) {
  if (!are_found_out() || !used.contains(p)) {
    return;
  }
  char* const window = align_down((char*)p, WindowBytes);
  if (H2HugePages && mode_of(label) == H2ReadPattern::Sequential) {
    // A fault anywhere in a huge page reads all of it.
    const size_t offset = (size_t)((char*)p - window);
    log_trace(gc, h2)("Label " JLONG_FORMAT ": wait at " SIZE_FORMAT "K of a huge page", label, offset / K);
    observe(label, H2HugePageEntry::mode_of(offset, WindowBytes));
    return;
  }
  for (int i = 0; i < _window_count; i++) {
    _windows[i].missing = missing_pages(_windows[i].start, _windows[i].size);
  }
  if (_window_count == WindowCount) {
    memmove(_windows, _windows + 1, (WindowCount - 1) * sizeof(Window));
    _window_count--;
  }
  const size_t size = MIN2(WindowBytes, (size_t)(align_up((char*)used.end(), os::vm_page_size()) - window));
  _windows[_window_count++] = { window, size, label, missing_pages(window, size), 0 };
  _is_newest_fresh = true;
}

void H2ReadModes::look() {
  if (!_is_newest_fresh) {
    return;
  }
  _is_newest_fresh = false;
  for (int i = 0; i < _window_count; i++) {
    Window& w = _windows[i];
    const size_t missing = missing_pages(w.start, w.size);
    w.arrived = w.missing - MIN2(w.missing, missing);
    w.missing = missing;
  }
  Mode mode;
  int weight = 1;
  if (tell(&mode, &weight)) {
    observe(_windows[_window_count - 1].label, mode, weight);
  }
}

bool H2ReadModes::tell(Mode* mode, int* weight) {
  const Window& newest = _windows[_window_count - 1];
  int oldest = 0;
  while (_windows[oldest].label != newest.label || (_windows[oldest].start == newest.start && oldest < _window_count - 1)) {
    oldest++;
  }
  const size_t missing = newest.missing + newest.arrived;
  const size_t before = _windows[oldest].arrived;
  const size_t elsewhere = oldest + EarlierWindow < _window_count ? before : 0;
  if (mode_of(newest.label) == H2ReadPattern::Sequential) {
    // Without huge pages, the mapping shows which of the pages that were read ahead were accessed. This fails if the
    // monitor unmaps pages.
    size_t bytes;
    const size_t page = (size_t)os::vm_page_size();
    return !H2HugePages && !TierPlacer::is_monitored() && H2File::mapped(newest.start, newest.size, &bytes) &&
           H2ReadAhead::tell(newest.size / page - newest.missing, bytes / page, missing, newest.arrived, elsewhere, mode);
  }
  const bool tells = H2Arrivals::tell(missing, newest.arrived, elsewhere, mode);
  if (tells && *mode == H2ReadPattern::Sequential && oldest < _window_count - 1) {
    *weight = H2Arrivals::weight_of_pass(missing, newest.arrived, before);
  }
  return tells;
}
