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
#include "gc/shared/collectedHeap.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/gcTraceTime.inline.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Compaction.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/collector/h1Marks.inline.hpp"
#include "gc/terrace/h2/liveness/h2Eligibility.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarking.hpp"
#include "gc/terrace/h2/paging/h2Pager.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/paging/h2Residency.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.hpp"
#include "gc/terrace/h2/transfer/h2Assigner.hpp"
#include "gc/terrace/h2/transfer/h2Copier.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "gc/terrace/h2/transfer/h2Pretenuring.hpp"
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "gc/terrace/h2/transfer/h2TransferPolicy.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/h2/transfer/selection/h2Rest.hpp"
#include "gc/terrace/h2/transfer/selection/h2Selector.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"
#include "memory/universe.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/java.hpp"
#include "runtime/os.hpp"


H2Transfer::Collection::Collection(bool is_last_resort) :
  is_last_resort(is_last_resort), start(os::javaTimeNanos()), deep_markings(H2Statistics::get(H2Statistics::DeepMarkings)),
  nanos(0) {}

H2Transfer* H2Transfer::_of_h2 = NULL;

H2Transfer::H2Transfer() : _last_error(NULL), _failed_before(false), _has_rest(false), _tries(0), _collection(NULL) {}

void H2Transfer::initialize() {
  _of_h2 = new H2Transfer();
  if (!H2Forwarding::of_h2().initialize(H1Heap::reserved())) {
    vm_exit_during_initialization("H2: no memory for the forwarding tables (1/18 of the heap size); "
                                  "choose a smaller -Xmx");
  }
  H2InternedStrings::initialize();
  H2Selector::initialize(ParallelGCThreads);
  H2Tags::initialize();
  H2Unhinted::initialize();
  H2Pretenuring::initialize();
  H2Pager::initialize();
  TierPlacer::initialize([](const void* p) { return H2ReadModes::of_h2().has_huge_pages(p); },
                         []() { return H2Residency::of_h2().is_short(); });
  H2LabelSpans::initialize();
}

void H2Transfer::begin_collection(bool last_resort) {
  assert(_collection == NULL, "the last one has ended");
  _collection = new Collection(last_resort);
  _frequency.begin_collection();
}

void H2Transfer::end_collection() {
  // Such markings are rare, so the time of this pause does not predict later pauses.
  if (H2Statistics::get(H2Statistics::DeepMarkings) == _collection->deep_markings) {
    _budget.paused(os::javaTimeNanos() - _collection->start - _collection->nanos);
  }
  _frequency.end_collection();
  delete _collection;
  _collection = NULL;
}

void H2Transfer::moved(size_t words, jlong nanos, bool has_rest) {
  _budget.moved(words, nanos);
  _has_rest = has_rest;
}

uintx H2Transfer::goal_millis() const {
  return _collection->is_last_resort ? 0
       : H2TransferMillis != 0 ? H2TransferMillis
       : FLAG_IS_DEFAULT(MaxGCPauseMillis) || FLAG_IS_ERGO(MaxGCPauseMillis) ? 0 : MaxGCPauseMillis;
}

// The maximum number of words that this collection moves.
size_t H2Transfer::part_words() const {
  const uintx goal = goal_millis();
  if (_collection->is_last_resort || (goal == 0 && H2TransferPartSize == 0)) {
    return max_uintx;
  }
  return H2TransferPartSize != 0 ? MAX2(H2TransferPartSize / HeapWordSize, (size_t)1) : MAX2(_budget.words(goal), H2Heap::region_words());
}

// The fourth phase. It removes the moved objects from the data about H1 that the
// summary phase uses. Workers claim units of the collector, which share no word
// of the mark bitmap.
class H2CommitTask : public AbstractGangTask {
  volatile size_t _claimed;

  static size_t unit_of(size_t block) {
    return H1Compaction::unit_of(H2Forwarding::of_h2().block_start(block));
  }

  static void commit(size_t unit) {
    const MemRegion all = H1Compaction::unit(unit);
    size_t words = 0;
    H2Forwarding::of_h2().runs_do(all.start(), all.end(), [&](HeapWord* from, HeapWord* to) {
      H1Marks::clear(from, to);
      words += pointer_delta(to, from);
    });
    H1Compaction::subtract(unit, words, [](const HeapWord* p) { return H2Forwarding::of_h2().is_moving(p); });
  }

 public:
  H2CommitTask() :
    AbstractGangTask("H2 Commit"), _claimed(unit_of(H2Forwarding::of_h2().first_block())) {}

  virtual void work(uint worker_id) {
    const size_t last = unit_of(H2Forwarding::of_h2().last_block());
    size_t unit;
    while ((unit = Atomic::fetch_and_add(&_claimed, (size_t)1)) <= last) {
      commit(unit);
    }
  }
};

// Four labels with many objects, and a thousand small labels that share regions.
static jlong torture_label(julong random) {
  return (jlong)(random % 8 < 4 ? random % 4 : 4 + (random >> 3) % 1000);
}

// Chooses about one in H2Torture live objects. The choice is the same for the
// same seed and history.
static void collect_torture_roots(GrowableArray<H2Tags::Root>* roots) {
  julong random = (julong)H2TortureSeed * 0x9E3779B97F4A7C15ull + Universe::heap()->total_full_collections();
  H1Marks::marked_do([&](HeapWord* p, size_t size) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    if ((random >> 33) % H2Torture == 0) {
      const H2Tags::Root root = { cast_to_oop(p), torture_label(random >> 20), true, false, 0, NULL };
      roots->append(root);
    }
  });
}

// The range of roots that a transfer tries to move. A root that does not fit, even
// alone, stays in H1 and is tried last from then on, so that it blocks no others.
class H2RootRange {
  const GrowableArray<H2Tags::Root>& _roots;
  const int _end;
  const int _max_postponed;
  int _first;
  int _count;
  int _postponed;

  // Limits the failed attempts of one collection. Each traces up to room_words, and
  // together they should trace at most half of the old generation.
  static int max_postponed(size_t room_words) {
    const size_t old_words = H1Heap::max_old_bytes() / HeapWordSize;
    return (int)clamp(old_words / 2 / room_words, (size_t)1, (size_t)8);
  }

 public:
  H2RootRange(const GrowableArray<H2Tags::Root>& roots, int end, size_t room_words) :
    _roots(roots), _end(end), _max_postponed(max_postponed(room_words)), _first(0), _count(end), _postponed(0) {}

  int first() const            { return _first; }
  int count() const            { return _count; }
  bool is_empty() const        { return _count == 0; }
  void set_count(int count)    { _count = count; }

  // Continues with the roots after this range.
  void skip() {
    _first += _count;
    _count = _end - _first;
  }
  // The range stays empty after this call.
  void end() {
    _first = _end;
    _count = 0;
  }

  // Postpones the root after this range, and continues after that root. If it was
  // postponed before, so were all roots after it, and the range ends.
  void postpone_next() {
    assert(_first + _count < _end, "no root is after this range");
    const H2Tags::Root& root = _roots.at(_first + _count);
    log_debug(gc, h2)("The closure of a root with label " JLONG_FORMAT " does not fit; the root is tried last from now on",
                      root.label);
    H2Tags::of_h2().postpone(root);
    _count++;
    skip();
    if (root.postponed != 0 || ++_postponed == _max_postponed) {
      end();
    }
  }
};

// One transfer. It attempts to move fewer and fewer roots, until their closures fit.
class H2Attempts : public StackObj {
  enum Phase { Select, Assign, Copy, Commit, PhaseCount };

  const jlong     _start;
  WorkGang* const _workers;
  H2Selector      _selector;
  H2RootRange     _range;
  // The limit for objects that structures received after they had moved. No tag leads to
  // them. They follow the roots, because the program may soon replace what it stores in H2.
  size_t          _max_grown_words;
  bool            _has_grown;
  // The limit for untagged objects, which are selected last.
  size_t          _max_unhinted_words;
  // If this many words move without structures, the structures stay in H1.
  const size_t    _enough_words;
  bool            _has_unhinted;
  // The limit for objects that earlier transfers left in H1 (H2Rest). A part has its own limit.
  size_t          _max_rest_words;
  // The fraction of the selected words to try next, after an attempt failed.
  double          _fitting;
  bool            _has_failed;
  const char*     _error;
  jlong           _ends[PhaseCount];

  bool has_more() const {
    return !_range.is_empty() || _max_grown_words != 0 || _max_unhinted_words != 0 || _max_rest_words != 0;
  }

  void end() {
    _range.end();
    _max_grown_words = 0;
    _max_unhinted_words = 0;
    _max_rest_words = 0;
  }

  void ended(Phase phase) { _ends[phase] = os::javaTimeNanos(); }

  double millis(Phase phase) const {
    return (_ends[phase] - (phase == Select ? _start : _ends[phase - 1])) / 1e6;
  }

  // Returns whether there is anything to move.
  bool select() {
    GCTraceTime(Debug, gc, phases) tm("H2 Select");
    _range.set_count(_selector.select(_workers, _range.first(), _range.count(), _max_rest_words));
    _has_grown = !_selector.was_overfull() && _selector.select_grown(_workers, _max_grown_words);
    _has_unhinted = !_selector.was_overfull() && _selector.select_unhinted(_workers, _max_unhinted_words, _enough_words);
    if (_selector.was_overfull()) {
      _error = H2Heap::FullError;
    }
    ended(Select);
    return _selector.selected_objects() != 0;
  }

  // Called if nothing in this range can move.
  void try_others() {
    if (_selector.was_overfull()) {
      _range.postpone_next();
    } else {
      if (_selector.completes_rest()) {
        H2Rest::complete();             // no such object remains
      }
      _max_grown_words = 0;
      _max_unhinted_words = 0;
      _max_rest_words = 0;
      _range.skip();
    }
  }

  // Returns the limit for the next attempt, or 0 if that would not fill a region.
  size_t fewer_words() const {
    const size_t words = (size_t)(_selector.selected_words() * _fitting);
    return words < H2Heap::region_words() ? 0 : words;
  }

  // Each attempt opens regions and selects anew. So the second one tries the fraction
  // that fitted in the first one. If it fails because sizes differ, others try half each.
  void assign_failed(const H2Assigner& assigner) {
    _error = assigner.error();
    _fitting = _has_failed ? 0.5 : MIN2((double)assigner.assigned_words() / _selector.selected_words(), 0.99);
    _has_failed = true;
    log_debug(gc, h2)(SIZE_FORMAT "K of " SIZE_FORMAT "K fit into H2: %s", assigner.assigned_words() * HeapWordSize / K,
                      _selector.selected_words() * HeapWordSize / K, _error);
  }

  bool assign(H2Assigner& assigner) {
    GCTraceTime(Debug, gc, phases) tm("H2 Assign");
    const bool assigned = assigner.assign(_workers);
    if (!assigned) {
      assign_failed(assigner);
      assigner.undo();
    }
    ended(Assign);
    return assigned;
  }

  void try_less() {
    if (_selector.is_in_parts()) {
      if (!_selector.try_smaller_part()) {
        end();
      }
      return;
    }
    if (_has_unhinted) {
      _max_unhinted_words = fewer_words();
      return;
    }
    if (_has_grown) {
      _max_grown_words = fewer_words();
      return;
    }
    if (_selector.has_selected_rest()) {
      _max_rest_words = fewer_words();
      return;
    }
    _range.set_count((int)(_range.count() * _fitting));
    if (_range.is_empty()) {
      _range.postpone_next();
      _has_failed = false;
    }
  }

  bool copy(H2Assigner& assigner) {
    GCTraceTime(Debug, gc, phases) tm("H2 Copy");
    const char* const error = H2Copier::copy(assigner, _workers);
    if (error != NULL) {
      _error = error;
      assigner.undo();
    }
    ended(Copy);
    return error == NULL;
  }

  void commit() {
    GCTraceTime(Debug, gc, phases) tm("H2 Commit");
    H2CommitTask task;
    _workers->run_task(&task);
    H2Forwarding::of_h2().publish();
    ended(Commit);
    if (_has_unhinted) {
      _selector.commit_unhinted();
    }
    if (_selector.completes_rest()) {
      H2Rest::complete();
    }
    _selector.cut_labels_do([](jlong label) { H2Rest::add(label); });
    const bool has_rest = _selector.leaves_due_roots() || H2Rest::has_due();
    H2Transfer::of_h2().moved(_selector.selected_words(), _ends[Commit] - _start, has_rest);
  }

  void report(const H2Assigner& assigner) const {
    const size_t bytes = _selector.selected_words() * HeapWordSize;
    const jlong nanos = _ends[Commit] - _start;
    H2Statistics::add(H2Statistics::Transfers, 1);
    H2Statistics::add(H2Statistics::MovedObjects, (jlong)_selector.selected_objects());
    H2Statistics::add(H2Statistics::MovedBytes, (jlong)bytes);
    H2Statistics::add(H2Statistics::TransferNanos, nanos);
    H2Journal::of_h2().add(H2Journal::Transfer, nanos, _selector.selected_objects(), bytes);
    log_info(gc, h2)("Transfer: " SIZE_FORMAT " objects, " SIZE_FORMAT "K to %d runs of regions, "
                     "select %.1fms, assign %.1fms, copy %.1fms, commit %.1fms",
                     _selector.selected_objects(), bytes / K, assigner.run_count(),
                     millis(Select), millis(Assign), millis(Copy), millis(Commit));
    if (assigner.sharing_labels() != 0) {
      log_info(gc, h2)("Of these, %d small labels share regions: " SIZE_FORMAT "K, for which %u regions were opened",
                       assigner.sharing_labels(), assigner.sharing_words() * HeapWordSize / K, assigner.opened_shared());
    }
    if (H2Transfer::of_h2().has_rest()) {
      log_info(gc, h2)("More is scheduled than the goal for the pause allows; the remainder moves with the next collections");
    }
  }

 public:
  H2Attempts(const GrowableArray<H2Tags::Root>& roots, size_t wanted_words, size_t room_words, size_t part_words,
             bool may_follow, bool may_be_unhinted, size_t enough_words) :
    _start(os::javaTimeNanos()), _workers(H1Heap::workers()),
    _selector(roots, wanted_words, room_words, part_words), _range(roots, _selector.root_count(), room_words),
    _max_grown_words(may_follow ? room_words : 0), _has_grown(false),
    _max_unhinted_words(may_be_unhinted ? room_words : 0), _enough_words(enough_words), _has_unhinted(false),
    _max_rest_words(H2Rest::has_due() ? room_words : 0), _fitting(0), _has_failed(false), _error(NULL) {}

  // Moves as many roots as possible. Returns NULL if all of them moved, else the reason.
  const char* run() {
    while (has_more()) {
      if (!select()) {
        try_others();
        continue;
      }
      H2Assigner assigner(_selector);
      if (!assign(assigner)) {
        try_less();
        continue;
      }
      if (!copy(assigner)) {
        break;
      }
      commit();
      report(assigner);
      return _error;
    }
    H2Forwarding::of_h2().clear();
    return _error;
  }
};

static H2TransferPolicy::Thresholds thresholds() {
  return { H2LowThreshold, H2HighThreshold };
}

// Called after marking.
static H2TransferPolicy::Heap sizes() {
  return { H1Heap::max_old_bytes() / HeapWordSize, H1Heap::used_old_bytes() / HeapWordSize, H1Compaction::live_words() };
}

static H2TransferPolicy::Cause cause(bool is_last_resort, uint frequent_in_a_row) {
  const GCCause::Cause cause = Universe::heap()->gc_cause();
  const bool is_early = cause == GCCause::_adaptive_size_policy || cause == GCCause::_metadata_GC_threshold;
  return { is_early, is_last_resort, H2MoveUnhinted, frequent_in_a_row, H2Unhinted::of_h2().are_writes_known() };
}

void H2Transfer::run() {
  ResourceMark rm;
  GrowableArray<H2Tags::Root> roots(64, mtGC);
  H2Tags::of_h2().collect_roots(&roots);
  if (H2Torture != 0) {
    collect_torture_roots(&roots);
  }

  const H2TransferPolicy::Heap heap = sizes();
  const H2TransferPolicy policy(thresholds(), heap, cause(_collection->is_last_resort, _frequency.in_a_row()));
  const size_t wanted_words = policy.wanted_words();
  H2Rest::begin_transfer();
  bool any_due = H2Rest::has_due();
  for (int i = 0; i < roots.length() && !any_due; i++) {
    any_due = roots.adr_at(i)->due;
  }
  if (any_due && H2Torture == 0 && policy.may_wait()) {
    log_debug(gc, h2)("Scheduled objects wait: the old generation has free space");
    any_due = false;
  } else {
    _has_rest = false;
    Atomic::inc(&_tries);
  }
  const bool may_follow = wanted_words != 0 && H2Torture == 0 && H2Heap::heap().free_count() < H2Heap::region_count();
  const bool may_be_unhinted = H2MoveUnhinted && wanted_words != 0 && H2Torture == 0;
  if (H2MoveUnhinted) {
    H2Unhinted::of_h2().begin_selection(policy.is_above_low(), may_be_unhinted, _collection->is_last_resort);
  }
  const bool any_wanted = any_due || (roots.is_empty() ? may_follow || may_be_unhinted : wanted_words != 0);
  const size_t room_words = any_wanted ? H2Assigner::room_words() : 0;
  // A full H2 is a failure only if tagged objects should move.
  if (!any_wanted || (room_words == 0 && !any_due && roots.is_empty())) {
    return;
  }
  if (policy.is_under_pressure()) {
    H2Journal::of_h2().add(H2Journal::HighThreshold, 0, 0, heap.live * HeapWordSize);
  }
  GCTraceTime(Debug, gc, phases) tm("H2 Transfer");
  const jlong start = os::javaTimeNanos();
  const uint free_before = H2Heap::heap().free_count();
  const char* const error = room_words == 0 ? H2Heap::FullError :
    H2Attempts(roots, wanted_words, room_words, part_words(), may_follow, may_be_unhinted,
               policy.enough_words()).run();
  _collection->nanos = os::javaTimeNanos() - start;
  H2DeepMarking::of_h2().transferred(free_before);
  // The evacuation frees space by the end of this collection.
  const bool waits = error == H2Heap::FullError && !H2Evacuation::of_h2().is_empty();
  if (waits) {
    log_info(gc, h2)("Objects that do not fit wait for the next collection: this one evacuates regions");
  } else if (error != NULL) {
    _last_error = error;
    H2Journal::of_h2().add(H2Journal::TransferAbandoned, os::javaTimeNanos() - start, 0, 0, error);
    H2Statistics::add(H2Statistics::FailedTransfers, 1);
    H2DeepMarking::of_h2().transfer_failed();
    // With a full H2, every major collection fails to move objects. Only the first failure is a warning.
    if (_failed_before) {
      log_info(gc, h2)("H2 transfer abandoned: %s; objects stay in H1", error);
    } else {
      log_warning(gc, h2)("H2 transfer abandoned: %s; objects stay in H1", error);
    }
  }
  _failed_before = error != NULL && !waits;
}
