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
#include "gc/terrace/far/farSummarySet.hpp"

FarBits         FarSummarySet::_pages;
FarBits         FarSummarySet::_away;
FarBits         FarSummarySet::_reached;
FarBits         FarSummarySet::_pending;
volatile size_t FarSummarySet::_pending_count = 0;
volatile size_t FarSummarySet::_cursor = 0;
size_t          FarSummarySet::_page_count = 0;

bool FarSummarySet::initialize() {
  const size_t count = FarPages::count();
  return _pages.allocate(count) && _away.allocate(count) && _reached.allocate(2 * count) && _pending.allocate(count);
}

void FarSummarySet::note_absent() {
  const size_t count = FarPages::count();
  _away.clear_all();
  for (size_t page = FarPages::next_absent(0, count); page < count; ) {
    const size_t end = FarPages::next_present(page);
    _away.set_range(page, MIN2(end, count));
    page = FarPages::next_absent(end, count);
  }
}

size_t FarSummarySet::next_candidate(size_t page, size_t limit) {
  return MIN2(FarPages::next_absent(page, limit), _away.get_next_one_offset(page, limit));
}

bool FarSummarySet::end(bool is_complete) {
  guarantee(!is_complete || _pending_count == 0, "marking ended with " SIZE_FORMAT " summaries to be scanned", _pending_count);
  if (_page_count == 0) {
    return false;
  }
  _pages.clear_all();
  _reached.clear_all();
  _pending.clear_all();
  _pending_count = 0;
  _cursor = 0;
  _page_count = 0;
  return true;
}

bool FarSummarySet::reach_slow(size_t page) {
  if (_reached.par_set_of_pair(2 * page)) {
    // Increment the count first, so that it is never less than the number of bits.
    Atomic::inc(&_pending_count);
    _pending.par_set_bit(page);
    return true;
  }
  return _reached.at(2 * page);
}
