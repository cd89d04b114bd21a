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
#include "classfile/classLoaderData.inline.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Marks.inline.hpp"
#include "gc/terrace/h2/collector/h1Workers.inline.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarking.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingProgress.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.inline.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarksVerifier.hpp"
#include "gc/terrace/h2/liveness/marking/h2SettleTask.hpp"
#include "gc/terrace/h2/paging/h2PauseReads.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2/space/storage/h2WritebackChecker.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/stack.inline.hpp"


H2DeepMarking H2DeepMarking::_of_h2;

// The state of one collection that marks through H2.
class H2DeepMarking::Pause : public CHeapObj<mtGC> {
 public:
  const jlong     start;
  const size_t    start_words;         // words in use
  H2WorkerCounts  counts;
  volatile size_t followed_objects;    // objects followed in the pause
  volatile size_t array_words;         // words in large arrays of references
  volatile size_t null_words;          // words of these arrays that were left out, because all slots there are null
  volatile size_t again_objects;       // objects marked ahead and scanned again, once per card
  volatile size_t again_cards;
  H2MarkingProgress progress;

  Pause(jlong start) :
    start(start), start_words(H2Heap::heap().used() / HeapWordSize), counts("Mark through H2", "words", ParallelGCThreads),
    followed_objects(0), array_words(0), null_words(0), again_objects(0), again_cards(0), progress(start) {}
};

void H2DeepMarking::begin_if_due(const H2DeepMarkingTrigger::Collection& collection) {
  const bool was_requested = _trigger.is_requested();
  const H2DeepMarkingPolicy::Reason why = _trigger.reason(collection);
  const bool is_in_use = H2Heap::heap().free_count() < H2Heap::region_count();
  // In all other cases, the marking must find all garbage.
  const bool may_go_on = (why == H2DeepMarkingPolicy::ShortOfRoom || why == H2DeepMarkingPolicy::Forced ||
                          why == H2DeepMarkingPolicy::MuchGarbage) && !was_requested && !collection.is_last_resort;
  const bool may_be_ahead = H2MarkAhead && is_in_use;
  // Defers the marking to the next collection, whose pause is shorter if marking begins concurrently.
  const bool may_wait = why == H2DeepMarkingPolicy::MuchGarbage && may_be_ahead && !_trigger.is_garbage_due();
  _trigger.set_garbage_due(false);
  if (why != H2DeepMarkingPolicy::None && !may_wait && is_in_use && begin(may_go_on)) {
    return;
  }
  H2AheadMarker::discard();
  if (may_be_ahead && (may_wait || _trigger.may_be_due_next()) && H2AheadMarker::begin_noting()) {
    _trigger.set_garbage_due(may_wait);
  } else if (may_wait) {
    begin(false);
  }
}

// may_go_on: whether the marking may continue from marks that were set ahead.
bool H2DeepMarking::begin(bool may_go_on) {
  const jlong start = os::javaTimeNanos();
  if (!may_go_on) {
    H2AheadMarker::discard();
  }
  const char* const error = H2AheadMarker::is_stopped() ? NULL : runs().prepare(H2Heap::heap().committed_count());
  if (error != NULL) {
    log_warning(gc, h2)("H2 is not marked through: no file for " SIZE_FORMAT "K of marks in %s: %s",
                        2 * H2Marks::bytes(runs().limit()) / K, H2Storage::of_h2().flag(), error);
    return false;
  }
  _pause = new Pause(start);
  runs().reset_scanned_words();
  H2Dependencies::of_h2().forget_all();
  H2Heap::heap().heads_do([](H2Region* r) { r->find_class_loaders_anew(); });
  if (H2AheadMarker::is_stopped()) {
    H2AheadMarker::resume();
  }
  return true;
}

uint H2DeepMarking::queued_count() const {
  return is_active() ? runs().queued_count() + H2AheadMarker::unclaimed() : 0;
}

// Marks the objects to which one run refers.
class H2DeepMarkClosure : public BasicOopIterateClosure {
 protected:
  H2Region* const     _region;
  const uint          _head_index;
  H1MarkWorker* const _worker;

  virtual void mark_in_run(oop target) = 0;

 private:
  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    if (!H2Range::contains(target)) {
      if (H1Marks::is_unmarked(target)) {
        H2Owners::of_h2().found_target(target);
      }
      _worker->mark_and_push(p);
      return;
    }
    const uint index = H2Heap::head_index_of(target);
    if (index != _head_index) {
      H2Dependencies::of_h2().add(_head_index, index);
      H2DeepMarking::mark(target);
    } else {
      mark_in_run(target);
    }
  }

 public:
  H2DeepMarkClosure(H2Region* head, H1MarkWorker* worker) :
    _region(head), _head_index(H2Heap::index_of_region(head)), _worker(worker) {}

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Scans the part of an array that lies in another region than the head of its run. Another
// worker may have claimed the run.
class H2ArrayPartClosure : public H2DeepMarkClosure {
 protected:
  virtual void mark_in_run(oop target) { H2DeepMarking::mark(target); }

 public:
  H2ArrayPartClosure(H2Region* head, H1MarkWorker* worker) : H2DeepMarkClosure(head, worker) {}
};

// Follows references inside of a run. Used by the worker that has claimed the run.
class H2RunClosure : public H2DeepMarkClosure {
  H2MarkingRuns&   _runs;
  const Klass*     _last_klass;
  size_t           _objects;
  size_t           _words;
  size_t           _words_of_parts;     // words in parts of arrays that are queued
  size_t           _array_words;        // words in large arrays of references
  size_t           _null_words;         // words of these arrays that were left out
  Stack<oop, mtGC> _stack;

 protected:
  virtual void mark_in_run(oop target) {
    if (_runs.set_mark(target)) {
      _stack.push(target);
    }
  }

 private:
  void keep_class_loader(Klass* k) {
    if (k == _last_klass) {
      return;
    }
    _last_klass = k;
    ClassLoaderData* const cld = k->class_loader_data();
    if (!_region->has_class_loader(cld)) {
      _region->add_class_loader(cld);
      oop holder = cld->holder_no_keepalive();
      _worker->mark_and_push(&holder);
    }
  }

  // Called once per array, because an array is reached once.
  void enqueue_parts(oop array) {
    const uint last = H2Heap::index_of(cast_from_oop<HeapWord*>(array) + array->size() - 1);
    for (uint index = _head_index + 1; index <= last; index++) {
      _runs.enqueue_part(index);
    }
  }

  void follow(oop obj) {
    keep_class_loader(obj->klass());
    const size_t size = obj->size();
    _objects++;
    _words += size;
    if (obj->is_typeArray()) {
      return;
    }
    if (size < H2NullSlices::MinWords || !obj->is_objArray()) {
      obj->oop_iterate(this);
      return;
    }
    const MemRegion first(H2Heap::bottom_of(_region), H2Heap::region_words());
    MemRegion part(cast_from_oop<HeapWord*>(obj), size);
    if (first.contains(part.start()) && part.end() > first.end()) {
      _words_of_parts += pointer_delta(part.end(), first.end());
      enqueue_parts(obj);
      part = part.intersection(first);
    }
    _array_words += part.word_size();
    _null_words += H2Cards::of_h2().null_slices().words_do(part, true, [=](MemRegion words) { obj->oop_iterate(this, words); });
  }

 public:
  H2RunClosure(H2MarkingRuns& runs, H2Region* head, H1MarkWorker* worker) :
    H2DeepMarkClosure(head, worker), _runs(runs), _last_klass(NULL), _objects(0), _words(0), _words_of_parts(0),
    _array_words(0), _null_words(0) {}

  ~H2RunClosure() { _runs.followed(_head_index, _words); }

  size_t objects() const        { return _objects; }
  size_t words() const          { return _words - _words_of_parts; }
  size_t followed_words() const { return words() - _null_words; }
  size_t array_words() const    { return _array_words; }
  size_t null_words() const     { return _null_words; }

  void follow_pending() {
    _runs.pending_do(_head_index, [&](oop pending) {
      _stack.push(pending);
      while (!_stack.is_empty()) {
        follow(_stack.pop());
      }
      return true;
    });
  }
};

// Called after each run or part of an array, not for each object.
void H2DeepMarking::followed(size_t words) {
  const jlong now = os::javaTimeNanos();
  if (_pause->progress.add(words, now)) {
    log_info(gc, h2)("Marking through H2 for %.0f s: marked " SIZE_FORMAT "M in this pause, of at most " SIZE_FORMAT
                     "M; read " JLONG_FORMAT "M from the device",
                     (double)(now - _pause->start) / NANOSECS_PER_SEC, _pause->progress.words() * HeapWordSize / M,
                     _pause->start_words * HeapWordSize / M, H2PauseReads::bytes() / (jlong)M);
  }
}

// Returns the number of scanned words.
size_t H2DeepMarking::follow_run(uint head, H1MarkWorker* worker) {
  size_t words = 0;
  do {
    H2RunClosure cl(runs(), H2Heap::region(head), worker);
    cl.follow_pending();
    words += cl.followed_words();
    Atomic::add(&_pause->followed_objects, cl.objects());
    Atomic::add(&_pause->array_words, cl.array_words());
    Atomic::add(&_pause->null_words, cl.null_words());
    followed(cl.words());
  } while (!runs().finish_scan(head));
  return words;
}

size_t H2DeepMarking::follow_part(uint index, H1MarkWorker* worker) {
  H2Region* const r = H2Heap::region(index);
  HeapWord* const bottom = H2Heap::bottom_of(r);
  oop array = cast_to_oop(H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(bottom)));
  const MemRegion part = MemRegion(bottom, H2Heap::region_words()).intersection(
    MemRegion(cast_from_oop<HeapWord*>(array), array->size()));
  H2ArrayPartClosure cl(H2Heap::head_of_run(r), worker);
  const size_t null_words =
    H2Cards::of_h2().null_slices().words_do(part, true, [&](MemRegion words) { array->oop_iterate(&cl, words); });
  Atomic::add(&_pause->array_words, part.word_size());
  Atomic::add(&_pause->null_words, null_words);
  followed(part.word_size());
  return part.word_size() - null_words;
}

// Scans a region again if its run has objects that were marked ahead. Returns the number of scanned words.
size_t H2DeepMarking::rescan(uint index, H1MarkWorker* worker) {
  H2Region* const r = H2Heap::region(index);
  H2Region* const head = H2Heap::head_of_run(r);
  if (r == head) {
    H2AheadMarker::found_do(index, [=](uint to) { H2Dependencies::of_h2().add(index, to); }, [=](ClassLoaderData* cld) {
      oop holder = cld->holder_no_keepalive();
      worker->mark_and_push(&holder);
    });
  }
  H2ArrayPartClosure cl(head, worker);
  const H2Cards::Rescanned rescanned = H2Cards::of_h2().rescan(r, &cl);
  Atomic::add(&_pause->again_objects, rescanned.objects);
  Atomic::add(&_pause->again_cards, rescanned.cards);
  return rescanned.cards * CardTable::card_size_in_words;
}

// Other workers can steal from the marking stack of this worker, so the stack comes first.
void H2DeepMarking::follow(H1MarkWorker* worker) {
  size_t words = 0;
  uint index;
  while (worker->is_drained()) {
    if (H2AheadMarker::claim(index)) {
      words += rescan(index, worker);
    } else if (runs().claim(index)) {
      words += H2Heap::region(index)->is_head() ? follow_run(index, worker) : follow_part(index, worker);
    } else {
      break;
    }
  }
  if (words != 0) {
    _pause->counts.add(worker->index(), words);
  }
}

void H2DeepMarking::log_ahead() const {
  if (H2AheadMarker::is_resumed()) {
    log_info(gc, h2)("Marked concurrently before it: " SIZE_FORMAT " objects; scanned " SIZE_FORMAT " of them again, on "
                     SIZE_FORMAT " cards",
                     H2AheadMarker::followed_objects(), (size_t)_pause->again_objects, (size_t)_pause->again_cards);
  }
}

void H2DeepMarking::finish(WorkGang* workers, uint freed, uintx goal_millis) {
  if (!is_active()) {
    _trigger.collected(false, freed, H2Heap::heap().free_count());
    return;
  }
  const jlong marked_at = os::javaTimeNanos();
  const uint free_before = H2Heap::heap().free_count();
  _pause->counts.log(workers->active_workers());
  if (VerifyH2 && H2AheadMarker::is_resumed()) {
    H2MarksVerifier::verify(runs());
  }
  H2LiveMap::of_h2().take(runs().marks());
  H2Evacuation::of_h2().select(H2Evacuation::of_h2().words_for(goal_millis));
  H2SettleTask task(runs());
  workers->run_task(&task);
  size_t garbage_words = task.garbage_words();
  const jlong settled_at = os::javaTimeNanos();
  if (!H2Evacuation::of_h2().is_empty()) {
    if (!H2Evacuation::of_h2().run(workers)) {
      H2SettleTask with_sources(runs());
      workers->run_task(&with_sources);
      garbage_words = with_sources.garbage_words();
    }
  } else if (task.garbage_words() == 0) {
    H2LiveMap::of_h2().forget();
  }
  const uint emptied = H2Evacuation::of_h2().freed_count();
  // The program must not continue on an H2 that was computed from lost marks.
  H2WritebackChecker::check(runs().writeback_error());
  H2WritebackChecker::check(H2LiveMap::of_h2().marks().writeback_error());
  _trigger.collected(true, freed + MAX2(emptied, H2Evacuation::of_h2().worth_count()), free_before + emptied);
  runs().release();
  const jlong end = os::javaTimeNanos();
  _ended = end;
  _ended_words = task.reachable_words() + garbage_words;
  _trigger.ended(end - _pause->start, _pause->start_words, task.reachable_words(), _ended_words);
  H2Statistics::add(H2Statistics::DeepMarkings, 1);
  H2Journal::of_h2().add(H2Journal::MarkedThrough, end - _pause->start, 0, task.reachable_words() * HeapWordSize);
  log_info(gc, h2)("Marked through H2: " SIZE_FORMAT "M reachable of " SIZE_FORMAT "M in live regions, "
                   SIZE_FORMAT "M garbage, " SIZE_FORMAT "K of it filled; searched " SIZE_FORMAT
                   "K of marks for objects of other runs; scanned " SIZE_FORMAT " objects; mark with H1 %.1fms, fill %.1fms",
                   task.reachable_words() * HeapWordSize / M, H2Heap::heap().used() / M,
                   task.garbage_words() * HeapWordSize / M, task.filled_words() * HeapWordSize / K,
                   runs().scanned_words() * HeapWordSize / K, (size_t)_pause->followed_objects,
                   (marked_at - _pause->start) / 1e6, (settled_at - marked_at) / 1e6);
  if (_pause->array_words != 0) {
    log_info(gc, h2)("Large arrays of references: read " SIZE_FORMAT "K of " SIZE_FORMAT "K; the rest has only nulls",
                     (_pause->array_words - _pause->null_words) * HeapWordSize / K, _pause->array_words * HeapWordSize / K);
  }
  log_ahead();
  H2AheadMarker::finish(_trigger.has_gained());
  delete _pause;
  _pause = NULL;
}
