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
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.hpp"
#include "gc/terrace/h2/transfer/selection/h2Rest.hpp"
#include "gc/terrace/h2/transfer/selection/h2Selector.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectUnhintedTask.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"

void H2Selector::initialize(uint max_workers) {
  H2SelectTask::initialize(max_workers);
}

H2Selector::H2Selector(const GrowableArray<H2Tags::Root>& roots, size_t wanted_words, size_t room_words, size_t part_words) :
  _roots(roots), _groups(roots), _selection(wanted_words, room_words, part_words, _groups), _root_end(0), _claimed(0),
  _completes_rest(false), _has_selected_rest(false) {
  memset(_unhinted, 0, sizeof(_unhinted));
}

bool H2Selector::try_smaller_part() {
  return _selection.try_smaller_part(H2Heap::region_words() / 16);
}

void H2Selector::clear() {
  H2Forwarding::of_h2().clear();
  _selection.clear();
}

static bool are_alike(const H2Tags::Root& a, const H2Tags::Root& b) {
  return a.fast == b.fast && a.due == b.due;
}

// Fast roots and others are selected in separate passes, because an object belongs to the first
// root that claims it. So are due roots and others, because others wait if due objects are left for a
// later part. Postponed roots may alternate, so the last pass takes all that remain.
void H2Selector::select_in_passes(WorkGang* workers, uint worker_count, int first_root, bool may_leave_out) {
  const int end = _root_end;
  int begin = first_root;
  for (int pass = 1; begin < end && !_selection.is_overfull(); pass++) {
    _root_end = begin + 1;
    while (_root_end < end && (pass == MaxPasses || are_alike(*_roots.adr_at(_root_end), *_roots.adr_at(begin)))) {
      _root_end++;
    }
    H2SelectRootsTask task(_selection, worker_count, _roots, _groups, begin, _root_end, may_leave_out);
    task.run(workers);
    _claimed = task.claimed();
    begin = _root_end;
  }
  _root_end = end;
}

void H2Selector::select_roots(WorkGang* workers, uint worker_count, int first_root) {
  clear();
  _selection.set_limit(_selection.room_words());
  select_in_passes(workers, worker_count, first_root, false);
}

// Selects the objects to which slots of cut labels refer.
void H2Selector::select_rest(WorkGang* workers, size_t max_words) {
  const size_t words_before = _selection.words();
  _selection.set_limit(max_words);
  _has_selected_rest = false;
  _completes_rest = !H2Rest::has_due();
  if (_completes_rest || _selection.is_at_limit()) {
    return;
  }
  _grown.find(true);
  _selection.clear_left_out();
  H2SelectGrownTask task(_selection, workers->active_workers(), _grown, _groups);
  task.run(workers);
  _grown.clear();
  _has_selected_rest = _selection.words() > words_before;
  // At the limit, some regions may not have been scanned.
  _completes_rest = !_selection.has_left_out() && !_selection.is_at_limit();
}

// Selects the objects that earlier parts left first, so that their structures become complete.
int H2Selector::select_part(WorkGang* workers, int first_root, int max_roots) {
  clear();
  _selection.begin_due();
  select_rest(workers, _selection.part_words());
  _root_end = MIN2(first_root + max_roots, root_count());
  select_in_passes(workers, workers->active_workers(), first_root, true);
  _selection.end_due();
  return _root_end - first_root;
}

int H2Selector::select(WorkGang* workers, int first_root, int max_roots, size_t max_rest_words) {
  if (is_in_parts()) {
    return select_part(workers, first_root, max_roots);
  }
  const int end = MIN2(first_root + max_roots, root_count());
  _root_end = end;
  select_roots(workers, workers->active_workers(), first_root);
  while (_selection.is_overfull()) {
    // Only a selection with one worker determines which root did not fit.
    select_roots(workers, 1, first_root);
    if (_selection.is_overfull()) {
      _root_end = _claimed - 1;
      select_roots(workers, workers->active_workers(), first_root);
    }
  }
  // The limit of half the space makes an attempt with fewer roots fit.
  _selection.begin_due();
  select_rest(workers, MIN2(max_rest_words, _selection.room_words() / 2));
  _selection.end_due();
  _selection.set_overfull(_root_end < end);
  return _root_end - first_root;
}

bool H2Selector::select_grown(WorkGang* workers, size_t max_words) {
  const size_t words_before = _selection.words();
  const size_t end = MIN3(_selection.wanted_words(), max_words, _selection.part_words());
  if (words_before >= end || _selection.leaves_due()) {
    return false;
  }
  if (_grown.is_empty()) {
    _grown.find(false);
  }
  _selection.set_limit(end);
  H2SelectGrownTask task(_selection, workers->active_workers(), _grown, _groups);
  task.run(workers);
  return _selection.words() > words_before;
}

void H2Selector::select_unhinted_kind(WorkGang* workers, H2Unhinted::Kind kind, uint group) {
  const size_t words_before = _selection.words();
  H2SelectUnhintedTask task(_selection, workers->active_workers(), kind, group);
  if (!task.is_empty()) {
    task.run(workers);
    const Unhinted unhinted = { _selection.words() - words_before, task.cursor(), task.is_lap() };
    _unhinted[kind] = unhinted;
  }
  log_debug(gc, h2)("Without a hint: searched " SIZE_FORMAT "K for %s, selected " SIZE_FORMAT "K",
                    task.looked_at_words() * HeapWordSize / K, H2Unhinted::name(kind),
                    (_selection.words() - words_before) * HeapWordSize / K);
}

bool H2Selector::select_unhinted(WorkGang* workers, size_t max_words, size_t enough_words) {
  memset(_unhinted, 0, sizeof(_unhinted));
  const size_t words_before = _selection.words();
  _selection.set_limit(MIN3(_selection.wanted_words(), max_words, _selection.part_words()));
  if (_selection.is_at_limit() || _selection.leaves_due()) {
    return false;
  }
  const uint group = _groups.without_root(H2Labels::Arrays);
  select_unhinted_kind(workers, H2Unhinted::LargeArrays, group);
  if (!_selection.is_at_limit()) {
    select_unhinted_kind(workers, H2Unhinted::SmallArrays, group);
  }
  if (_selection.words() < MIN2(_selection.limit_words(), enough_words) && H2Unhinted::of_h2().is_lap_due()) {
    select_unhinted_kind(workers, H2Unhinted::Structures, _groups.without_root(H2Labels::Structures));
  }
  if (_selection.words() == words_before) {
    commit_unhinted();    // the searched part without such objects is not searched again
    return false;
  }
  return true;
}

void H2Selector::commit_unhinted() const {
  for (int i = 0; i < H2Unhinted::KindCount; i++) {
    if (_unhinted[i].cursor != NULL) {
      H2Unhinted::of_h2().moved(H2Unhinted::Kind(i), _unhinted[i].words, _unhinted[i].cursor, _unhinted[i].is_lap);
    }
  }
}
