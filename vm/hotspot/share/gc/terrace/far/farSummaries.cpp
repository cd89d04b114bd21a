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
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"

FarRegionSummaries** FarSummaries::_regions = NULL;
FarRegionSummaries** FarSummaries::_growing = NULL;
FarRegionSummaries* volatile FarSummaries::_unlinked = NULL;
uint            FarSummaries::_region_count = 0;
size_t          FarSummaries::_pages_per_region = 0;
uint            FarSummaries::_cycle = 0;
bool            FarSummaries::_taking = false;
bool            FarSummaries::_was_read = false;
size_t          FarSummaries::_limit = FarSummaries::Classes * FarSummaries::ClassSize;
size_t          FarSummaries::_budget = 0;
volatile size_t FarSummaries::_size = 0;
volatile size_t FarSummaries::_class_sizes[FarSummaries::Classes];
volatile size_t FarSummaries::_taken = 0;
volatile size_t FarSummaries::_by_page = 0;
volatile size_t FarSummaries::_kept = 0;
volatile size_t FarSummaries::_too_large = 0;
volatile size_t FarSummaries::_refused = 0;

bool FarSummaries::initialize(uint region_count, size_t pages_per_region, size_t heap_size) {
  _region_count = region_count;
  _pages_per_region = pages_per_region;
  _budget = heap_size / HeapPerBudget;
  _regions = NEW_C_HEAP_ARRAY_RETURN_NULL(FarRegionSummaries*, _region_count, mtGC);
  _growing = NEW_C_HEAP_ARRAY_RETURN_NULL(FarRegionSummaries*, _region_count, mtGC);
  if (_regions == NULL || _growing == NULL) {
    return false;
  }
  for (uint i = 0; i < _region_count; i++) {
    _regions[i] = _growing[i] = NULL;
  }
  return true;
}

void FarSummaries::drop(uint region) {
  delete Atomic::xchg(&_regions[region], (FarRegionSummaries*)NULL);
  delete Atomic::xchg(&_growing[region], (FarRegionSummaries*)NULL);
}

void FarSummaries::unlink_table(FarRegionSummaries** place) {
  FarRegionSummaries* const table = Atomic::xchg(place, (FarRegionSummaries*)NULL);
  if (table == NULL) {
    return;
  }
  FarRegionSummaries* first;
  do {
    first = Atomic::load(&_unlinked);
    table->set_next(first);
  } while (Atomic::cmpxchg(&_unlinked, first, table) != first);
}

void FarSummaries::unlink(uint region) {
  unlink_table(&_regions[region]);
  unlink_table(&_growing[region]);
}

void FarSummaries::delete_unlinked() {
  FarRegionSummaries* table = Atomic::xchg(&_unlinked, (FarRegionSummaries*)NULL);
  while (table != NULL) {
    FarRegionSummaries* const next = table->next();
    delete table;
    table = next;
  }
}

void FarSummaries::drop_all() {
  _was_read = false;
  for (uint i = 0; i < _region_count; i++) {
    drop(i);
  }
  delete_unlinked();
}

void FarSummaries::begin_cycle() {
  _taking = FarWrites::is_on() && (FarPages::is_process_swapped() || FarWrites::may_watch_early());
  _cycle++;
  _size = _taken = _by_page = _kept = _too_large = _refused = 0;
  for (size_t i = 0; i < Classes; i++) {
    _class_sizes[i] = 0;
  }
}

void FarSummaries::end_cycle(bool is_complete) {
  size_t size = 0;
  for (uint i = 0; i < _region_count; i++) {
    FarRegionSummaries* const table = of_region(i);
    if (_growing[i] != NULL || (table != NULL && (!is_complete || !is_new(table)))) {
      drop(i);
    } else if (table != NULL) {
      size += table->size_in_bytes();
    }
  }
  delete_unlinked();
  FarStatistics::set_summaries(is_complete ? _taken + _kept : 0, size);
  _was_read = is_complete && (_was_read || _taken + _too_large + _refused > 0);
  if (!_taking || !is_complete) {
    return;
  }
  // Keep the smallest summaries that fit the budget.
  size_t sum = 0;
  size_t fit = 0;
  while (fit < Classes && sum + _class_sizes[fit] <= _budget) {
    sum += _class_sizes[fit++];
  }
  if (sum > 0) {                       // the cycle has read pages
    _limit = fit * ClassSize;
  }
  log_info(gc, far)("Summaries: created " SIZE_FORMAT ", kept " SIZE_FORMAT ", " SIZE_FORMAT " pages with too many references, "
                    SIZE_FORMAT " not to be summarized; " SIZE_FORMAT " KB; " SIZE_FORMAT " of the created ones by pages of targets",
                    _taken, _kept, _too_large, _refused, size / K, _by_page);
}

void FarSummaries::begin_region(uint region) {
  delete _growing[region];
  _growing[region] = new FarRegionSummaries(_pages_per_region, _cycle);
}

void FarSummaries::end_region(uint region) {
  FarRegionSummaries* const done = _growing[region];
  if (done != NULL) {
    done->complete();
    _growing[region] = NULL;
    delete _regions[region];
    _regions[region] = done;
  }
}

// Counts a summary, even if it is not kept. The next cycle uses the counts to choose the size
// limit.
void FarSummaries::count(size_t size) {
  const size_t index = size == 0 ? 0 : (size - 1) / ClassSize;
  if (index < Classes) {
    Atomic::add(&_class_sizes[index], size);
  }
}

size_t FarSummaries::room() {
  const size_t used = Atomic::load(&_size);
  return used >= _budget ? 0 : MIN2(_limit, _budget - used);
}

// The largest summary that may name its targets one by one. Each page of the heap has the same
// share of the budget, and leaves to the later pages what it does not need.
size_t FarSummaries::exact_room() {
  const size_t share = os::vm_page_size() / HeapPerBudget;
  const size_t shares = (Atomic::load(&_taken) + Atomic::load(&_kept) + Atomic::load(&_too_large) + Atomic::load(&_refused) + 1) * share;
  const size_t used = Atomic::load(&_size);
  return MAX2(share, shares - MIN2(shares, used));
}

void FarSummaries::add(uint region, size_t page_in_region, FarPageSummary& summary, const FarTargets* targets) {
  size_t size;
  bool is_by_page = false;
  FarRegionSummaries* const growing = _growing[region];
  if (targets == NULL ? growing->add(page_in_region, summary, room(), size)
                      : growing->add(page_in_region, summary, *targets, exact_room(), room(), size, is_by_page)) {
    Atomic::add(&_size, size);
    Atomic::inc(&_taken);
    if (is_by_page) {
      Atomic::inc(&_by_page);
    }
  } else {
    Atomic::inc(&_too_large);
  }
  count(size);
}

void FarSummaries::keep(uint region, size_t page_in_region, const u1* start, const u1* end, bool crosses) {
  const size_t size = (size_t)(end - start);
  if (_growing[region]->copy(page_in_region, start, end, crosses, room())) {
    Atomic::add(&_size, size);
    Atomic::inc(&_kept);
  } else {
    Atomic::inc(&_too_large);
  }
  count(size);
}

void FarSummaries::keep_table(FarRegionSummaries* table, size_t summaries) {
  table->set_cycle(_cycle);
  _kept += summaries;
}

void FarSummaries::count_refused() {
  Atomic::inc(&_refused);
}
