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
#include "gc/parallel/parallelScavengeHeap.hpp"
#include "gc/parallel/psCompactionManager.inline.hpp"
#include "gc/parallel/psOldGen.hpp"
#include "gc/parallel/psVMOperations.hpp"
#include "gc/parallel/psYoungGen.hpp"
#include "gc/shared/collectedHeap.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/liveness/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2DeepMarking.inline.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/space/h2File.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/space/h2WritebackChecker.hpp"
#include "gc/terrace/h2/transfer/h2Pretenuring.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"
#include "runtime/vmThread.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/stack.inline.hpp"

H2DeepMarkingPolicy H2DeepMarking::_policy;
H2GarbageBound H2DeepMarking::_garbage_bound;
jlong         H2DeepMarking::_ended = 0;
size_t        H2DeepMarking::_ended_words = 0;
size_t        H2DeepMarking::_start_words = 0;
bool          H2DeepMarking::_is_requested = false;
bool          H2DeepMarking::_is_garbage_due = false;
uint          H2DeepMarking::_collections = 0;
volatile size_t H2DeepMarking::_scanned_words = 0;
volatile size_t H2DeepMarking::_followed_objects = 0;
volatile size_t H2DeepMarking::_again_objects = 0;
volatile size_t H2DeepMarking::_again_cards = 0;
bool          H2DeepMarking::_is_active = false;
H2Marks       H2DeepMarking::_marks;
H2Marks       H2DeepMarking::_pending;
H2DeepMarking::Run* H2DeepMarking::_runs = NULL;
uint          H2DeepMarking::_run_limit = 0;
H2RegionQueue* H2DeepMarking::_queue = NULL;
H2WorkerCounts* H2DeepMarking::_counts = NULL;
jlong         H2DeepMarking::_start = 0;

// The bit of the run's first word. It is the first bit of a bitmap word, because regions are large.
BitMap::idx_t H2DeepMarking::first_bit_of(uint head) {
  return H2Marks::bit_of(H2Heap::bottom_of(H2Heap::region(head)));
}

H2DeepMarkingPolicy::Heap H2DeepMarking::heap_now() {
  const H2DeepMarkingPolicy::Heap heap = { H2Heap::used() / HeapWordSize, (julong)(os::javaTimeNanos() / NANOSECS_PER_MILLISEC) };
  return heap;
}

// Gives access to the size of the failed allocation.
class H2FailedAllocation : public VM_CollectForAllocation {
 public:
  static size_t words(const VM_CollectForAllocation& operation) { return operation.*(&H2FailedAllocation::_word_size); }
};

// Whether the failed allocation does not fit in H1, whatever H2 keeps alive there.
static bool is_too_large_for_h1() {
  const VM_Operation* const operation = VMThread::vm_operation();
  if (operation == NULL || operation->type() != VM_Operation::VMOp_ParallelGCFailedAllocation) {
    return false;
  }
  const size_t words = H2FailedAllocation::words(*static_cast<const VM_CollectForAllocation*>(operation));
  return H2Pretenuring::is_too_large_for_h1(words);
}

H2DeepMarkingPolicy::Cause H2DeepMarking::cause_now(bool last_resort) {
  const bool is_at_interval = H2DeepMarkingInterval != 0 && ++_collections % H2DeepMarkingInterval == 0;
  const GCCause::Cause gc_cause = ParallelScavengeHeap::heap()->gc_cause();
  const H2DeepMarkingPolicy::Cause cause = {
    last_resort, last_resort && is_too_large_for_h1(),
    GCCause::is_user_requested_gc(gc_cause), H2Owners::is_library_waiting(),
    gc_cause == GCCause::_metadata_GC_threshold, is_at_interval || _is_requested
  };
  _is_requested = false;
  return cause;
}

// The number of class loaders that runs keep. A loader counts once for each run that keeps it.
static size_t class_loader_count() {
  size_t count = 0;
  H2Heap::heads_do([&](H2Region* r) { count += r->class_loader_count(); });
  return count;
}

// Estimates the words of H2 that the program has written since the VM started, from the cards that
// minor collections have scanned.
static size_t written_words() {
  return (size_t)H2Statistics::get(H2Statistics::MinorScannedCards) * CardTable::card_size_in_words;
}

bool H2DeepMarking::may_have_much_garbage(const H2DeepMarkingPolicy::Heap& heap) {
  const H2GarbageBound::Limits limits = {
    (uint)H2GarbageThreshold, H2Heap::region_count() * H2Heap::region_words(), (julong)H2Transfer::goal_millis()
  };
  return _garbage_bound.is_due(limits, heap.h2_words, written_words(), heap.now, _policy.cost(heap));
}

H2DeepMarkingPolicy::Reason H2DeepMarking::reason(bool last_resort) {
  const H2DeepMarkingPolicy::Cause cause = cause_now(last_resort);
  const H2DeepMarkingPolicy::Owners owners = {
    H2Owners::kept(), H2Owners::live(), H2Owners::was_in_vain(),
    H2Owners::weakly_kept(), cause.is_for_classes ? class_loader_count() : 0, H2Owners::may_be_more()
  };
  const H2DeepMarkingPolicy::Heap heap = heap_now();
  const bool much_garbage = may_have_much_garbage(heap) || _is_garbage_due;
  H2DeepMarkingPolicy::Reason result = _policy.reason(cause, heap, owners);
  if (result == H2DeepMarkingPolicy::None && much_garbage) {
    result = H2DeepMarkingPolicy::MuchGarbage;
  }
  if (H2DeepMarkingPolicy::is_for_owners(result)) {
    log_info(gc, h2)("Marking through H2: it keeps " SIZE_FORMAT " owners of something outside of the heap, and " SIZE_FORMAT
                     " after the last such marking; %s", owners.kept, owners.live, H2DeepMarkingPolicy::text(result));
  } else if (result == H2DeepMarkingPolicy::WeakTurn) {
    log_info(gc, h2)("Marking through H2: weak or soft references lead to " SIZE_FORMAT " objects there", owners.weakly);
  } else if (result != H2DeepMarkingPolicy::None) {
    log_debug(gc, h2)("Marking through H2: %s", H2DeepMarkingPolicy::text(result));
  } else if (last_resort) {
    log_debug(gc, h2)("H2 is not marked through as the last resort: the object is too large for H1");
  }
  return result;
}

bool H2DeepMarking::is_at_interval_next() {
  return H2DeepMarkingInterval != 0 && (_collections + 1) % H2DeepMarkingInterval == 0;
}

bool H2DeepMarking::may_be_due_next() {
  return is_at_interval_next() || _policy.may_be_due_next(H2Heap::free_count(), H2Heap::region_count());
}

void H2DeepMarking::begin_if_due(bool last_resort) {
  const bool was_requested = _is_requested;
  const H2DeepMarkingPolicy::Reason why = reason(last_resort);
  const bool is_in_use = H2Heap::free_count() < H2Heap::region_count();
  // In all other cases, the marking must find all garbage.
  const bool may_go_on = (why == H2DeepMarkingPolicy::ShortOfRoom || why == H2DeepMarkingPolicy::Forced ||
                          why == H2DeepMarkingPolicy::MuchGarbage) && !was_requested && !last_resort;
  const bool may_be_ahead = H2MarkAhead && is_in_use;
  // Defers the marking to the next collection, whose pause is shorter if marking begins concurrently.
  const bool may_wait = why == H2DeepMarkingPolicy::MuchGarbage && may_be_ahead && !_is_garbage_due;
  _is_garbage_due = false;
  if (why != H2DeepMarkingPolicy::None && !may_wait && is_in_use && begin(may_go_on)) {
    _is_active = true;
    return;
  }
  H2AheadMarker::discard();
  if (may_be_ahead && (may_wait || may_be_due_next()) && H2AheadMarker::begin_noting()) {
    _is_garbage_due = may_wait;
  } else {
    _is_active = may_wait && begin(false);
  }
}

const char* H2DeepMarking::prepare(uint run_limit) {
  _run_limit = run_limit;
  const char* error = _marks.map(run_limit);
  if (error != NULL) {
    return error;
  }
  error = _pending.map(run_limit);
  if (error != NULL) {
    _marks.retire();
    return error;
  }
  _runs = NEW_C_HEAP_ARRAY(Run, _run_limit, mtGC);
  for (uint i = 0; i < _run_limit; i++) {
    const Run run = { Idle, EmptySpan, 0 };
    _runs[i] = run;
  }
  _queue = new H2RegionQueue(_run_limit);
  return NULL;
}

void H2DeepMarking::release() {
  if (_marks.is_mapped()) {             // not taken by H2LiveMap
    _marks.retire();
  }
  _pending.retire();
  FREE_C_HEAP_ARRAY(Run, _runs);
  _runs = NULL;
  delete _queue;
  _queue = NULL;
}

// may_go_on: whether the marking may continue from marks that were set ahead.
bool H2DeepMarking::begin(bool may_go_on) {
  const jlong start = os::javaTimeNanos();
  if (!may_go_on) {
    H2AheadMarker::discard();
  }
  const char* const error = H2AheadMarker::is_stopped() ? NULL : prepare(H2Heap::committed_count());
  if (error != NULL) {
    log_warning(gc, h2)("H2 is not marked through: no file for " SIZE_FORMAT "K of marks in %s: %s",
                        2 * H2Marks::bytes(_run_limit) / K, H2File::flag(), error);
    return false;
  }
  _start = start;
  _start_words = H2Heap::used() / HeapWordSize;
  _counts = new H2WorkerCounts("Mark through H2", "words", ParallelGCThreads);
  _scanned_words = 0;
  _followed_objects = 0;
  _again_objects = 0;
  _again_cards = 0;
  H2Dependencies::forget_all();
  H2Heap::heads_do([](H2Region* r) { r->find_class_loaders_anew(); });
  if (H2AheadMarker::is_stopped()) {
    H2AheadMarker::resume();
  }
  return true;
}

uint H2DeepMarking::queued_count() {
  return _is_active ? _queue->length() + H2AheadMarker::unclaimed() : 0;
}

bool H2DeepMarking::set_mark(oop obj) {
  return _marks.bits().par_set_bit(H2Marks::bit_of(cast_from_oop<void*>(obj)));
}

void H2DeepMarking::set_pending(uint head, oop obj) {
  const BitMap::idx_t bit = H2Marks::bit_of(cast_from_oop<void*>(obj));
  _pending.bits().par_set_bit(bit);
  extend_span(head, bit);
}

oop H2DeepMarking::take_pending(BitMap::idx_t bit) {
  _pending.bits().par_clear_bit(bit);
  return cast_to_oop(H2Marks::object_at(bit));
}

void H2DeepMarking::mark(oop obj) {
  if (set_mark(obj)) {
    // Because of this order, the worker that claims the run sees the bit and the span.
    const uint head = H2Heap::head_index_of(obj);
    set_pending(head, obj);
    enqueue(head);
  }
}

void H2DeepMarking::enqueue_if_pending(uint head) {
  if (_runs[head]._span != EmptySpan) {
    enqueue(head);
  }
}

void H2DeepMarking::give_back(uint head) {
  Atomic::xchg(&_runs[head]._state, (int)Queued);
  _queue->put(head);
}

void H2DeepMarking::extend_span(uint head, BitMap::idx_t bit) {
  const uint word = (uint)((bit - first_bit_of(head)) / BitsPerWord);
  volatile julong* const span = &_runs[head]._span;
  julong old = Atomic::load(span);
  while (word < low_of(old) || word >= high_of(old)) {
    const julong found = Atomic::cmpxchg(span, old, span_of(MIN2(low_of(old), word), MAX2(high_of(old), word + 1)));
    if (found == old) {
      return;
    }
    old = found;
  }
}

void H2DeepMarking::enqueue(uint head) {
  volatile int* const state = &_runs[head]._state;
  while (true) {
    const int old = Atomic::load(state);
    if (old == Idle) {
      guarantee(H2Heap::region(head)->is_head(), "reference into free H2 region %u", head);
      if (Atomic::cmpxchg(state, old, (int)Queued) == old) {
        H2Heap::region(head)->set_live(true);
        _queue->put(head);
        return;
      }
    } else if (old != Scanning || Atomic::cmpxchg(state, old, (int)Again) == old) {
      return;
    }
  }
}

bool H2DeepMarking::claim(uint& index) {
  if (!_queue->take(index)) {
    return false;
  }
  Atomic::xchg(&_runs[index]._state, (int)Scanning);
  return true;
}

// Called once per array, because an array is reached once.
void H2DeepMarking::enqueue_parts(const H2Region* r, oop array) {
  const uint first = H2Heap::index_of_region(r);
  const uint last = H2Heap::index_of(cast_from_oop<HeapWord*>(array) + array->size() - 1);
  for (uint index = first + 1; index <= last; index++) {
    assert(_runs[index]._state == Idle, "reached twice");
    Atomic::store(&_runs[index]._state, (int)Queued);
    _queue->put(index);
  }
}

// Returns false if more objects are pending.
bool H2DeepMarking::finish_scan(uint head) {
  volatile int* const state = &_runs[head]._state;
  if (Atomic::cmpxchg(state, (int)Scanning, (int)Idle) == Scanning) {
    return true;
  }
  Atomic::xchg(state, (int)Scanning);
  return false;
}

// Marks the objects to which one run refers.
class H2DeepMarkClosure : public BasicOopIterateClosure {
 protected:
  H2Region* const             _region;
  const uint                  _head_index;
  ParCompactionManager* const _cm;

  virtual void mark_in_run(oop target) = 0;

 private:
  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    if (!H2Range::contains(target)) {
      if (PSParallelCompact::mark_bitmap()->is_unmarked(target)) {
        H2Owners::found_target(target);
      }
      _cm->mark_and_push(p);
      return;
    }
    const uint index = H2Heap::head_index_of(target);
    if (index != _head_index) {
      H2Dependencies::add(_head_index, index);
      H2DeepMarking::mark(target);
    } else {
      mark_in_run(target);
    }
  }

 public:
  H2DeepMarkClosure(H2Region* head, ParCompactionManager* cm) :
    _region(head), _head_index(H2Heap::index_of_region(head)), _cm(cm) {}

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Scans the part of an array that lies in another region than the head of its run. Another
// worker may have claimed the run.
class H2ArrayPartClosure : public H2DeepMarkClosure {
 protected:
  virtual void mark_in_run(oop target) { H2DeepMarking::mark(target); }

 public:
  H2ArrayPartClosure(H2Region* head, ParCompactionManager* cm) : H2DeepMarkClosure(head, cm) {}
};

// Follows references inside of a run. Used by the worker that has claimed the run.
class H2RunClosure : public H2DeepMarkClosure {
  const Klass*     _last_klass;
  size_t           _objects;
  size_t           _words;
  size_t           _words_of_parts;     // words in parts of arrays that are queued
  Stack<oop, mtGC> _stack;

 protected:
  virtual void mark_in_run(oop target) {
    if (H2DeepMarking::set_mark(target)) {
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
      _cm->mark_and_push(&holder);
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
    const MemRegion first(H2Heap::bottom_of(_region), H2Heap::region_words());
    HeapWord* const end = cast_from_oop<HeapWord*>(obj) + size;
    if (first.contains(cast_from_oop<HeapWord*>(obj)) && end > first.end()) {
      _words_of_parts += pointer_delta(end, first.end());
      H2DeepMarking::enqueue_parts(_region, obj);
      obj->oop_iterate(this, first);
    } else {
      obj->oop_iterate(this);
    }
  }

 public:
  H2RunClosure(H2Region* head, ParCompactionManager* cm) :
    H2DeepMarkClosure(head, cm), _last_klass(NULL), _objects(0), _words(0), _words_of_parts(0) {}

  ~H2RunClosure() {
    H2DeepMarking::followed(_head_index, _words);
    Atomic::add(&H2DeepMarking::_followed_objects, _objects);
  }

  size_t followed_words() const { return _words - _words_of_parts; }

  void follow_pending() {
    H2DeepMarking::pending_do(_head_index, [&](oop pending) {
      _stack.push(pending);
      while (!_stack.is_empty()) {
        follow(_stack.pop());
      }
      return true;
    });
  }
};

// Returns the number of scanned words.
size_t H2DeepMarking::follow_run(uint head, ParCompactionManager* cm) {
  size_t words = 0;
  do {
    H2RunClosure cl(H2Heap::region(head), cm);
    cl.follow_pending();
    words += cl.followed_words();
  } while (!finish_scan(head));
  return words;
}

size_t H2DeepMarking::follow_part(uint index, ParCompactionManager* cm) {
  H2Region* const r = H2Heap::region(index);
  HeapWord* const bottom = H2Heap::bottom_of(r);
  oop array = cast_to_oop(H2StartTable::object_covering(H2StartTable::card_index(bottom)));
  const MemRegion part = MemRegion(bottom, H2Heap::region_words()).intersection(
    MemRegion(cast_from_oop<HeapWord*>(array), array->size()));
  H2ArrayPartClosure cl(H2Heap::head_of_run(r), cm);
  array->oop_iterate(&cl, part);
  return part.word_size();
}

// Scans a region again if its run has objects that were marked ahead. Returns the number of scanned words.
size_t H2DeepMarking::look_again(uint index, ParCompactionManager* cm) {
  H2Region* const r = H2Heap::region(index);
  H2Region* const head = H2Heap::head_of_run(r);
  if (r == head) {
    H2AheadMarker::found_do(index, [=](uint to) { H2Dependencies::add(index, to); }, [=](ClassLoaderData* cld) {
      oop holder = cld->holder_no_keepalive();
      cm->mark_and_push(&holder);
    });
  }
  H2ArrayPartClosure cl(head, cm);
  const H2Cards::LookedAt looked_at = H2Cards::look_again(r, &cl);
  Atomic::add(&_again_objects, looked_at.objects);
  Atomic::add(&_again_cards, looked_at.cards);
  return looked_at.cards * CardTable::card_size_in_words;
}

// Other workers can steal from the marking stack of this worker, so the stack comes first.
void H2DeepMarking::follow(ParCompactionManager* cm) {
  size_t words = 0;
  uint index;
  while (cm->marking_stacks_empty()) {
    if (H2AheadMarker::claim(index)) {
      words += look_again(index, cm);
    } else if (claim(index)) {
      words += H2Heap::region(index)->is_head() ? follow_run(index, cm) : follow_part(index, cm);
    } else {
      break;
    }
  }
  if (words != 0) {
    _counts->add(cm, words);
  }
}

// Verifies that the marking has missed no reference that the program wrote while marks were set ahead.
class H2VerifyMarksClosure : public BasicOopIterateClosure {
  const uint _head_index;
  oop        _object;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    const bool is_in_h2 = H2Range::contains(target);
    const bool is_alive = is_in_h2 ? H2DeepMarking::is_marked(cast_from_oop<void*>(target))
                                   : PSParallelCompact::mark_bitmap()->is_marked(target);
    guarantee(is_alive, "marked H2 object " PTR_FORMAT " (%s) in region %u, slot " PTR_FORMAT " -> " PTR_FORMAT ": not marked",
              p2i(_object), _object->klass()->external_name(), _head_index, p2i(p), p2i(target));
    guarantee(!is_in_h2 || H2Heap::head_index_of(target) == _head_index ||
              H2Dependencies::contains(_head_index, H2Heap::head_index_of(target)),
              "marked H2 object " PTR_FORMAT " (%s) in region %u, slot " PTR_FORMAT " -> " PTR_FORMAT ": no dependency",
              p2i(_object), _object->klass()->external_name(), _head_index, p2i(p), p2i(target));
  }

 public:
  H2VerifyMarksClosure(H2Region* head) : _head_index(H2Heap::index_of_region(head)), _object(NULL) {}

  void set_object(oop obj)          { _object = obj; }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Called before anything is overwritten.
void H2DeepMarking::verify_marks() {
  ResourceMark rm;
  H2Heap::heads_do([](H2Region* r) {
    const uint index = H2Heap::index_of_region(r);
    H2VerifyMarksClosure cl(r);
    size_t words = 0;
    size_t size;
    for (HeapWord* p = H2Heap::bottom_of(r); p < r->top(); p += size) {
      oop obj = cast_to_oop(p);
      size = obj->size();
      if (is_marked(p)) {
        words += size;
        guarantee(r->has_class_loader(obj->klass()->class_loader_data()),
                  "marked H2 object " PTR_FORMAT " (%s) in region %u: its loader is not recorded", p2i(p),
                  obj->klass()->external_name(), index);
        cl.set_object(obj);
        obj->oop_iterate(&cl);
      }
    }
    guarantee(words == _runs[index]._reachable_words, "H2 region %u: " SIZE_FORMAT " words are marked, " SIZE_FORMAT " counted",
              index, words, _runs[index]._reachable_words);
    r->class_loaders_do([](ClassLoaderData* cld) {
      guarantee(cld->holder_no_keepalive() == NULL || PSParallelCompact::mark_bitmap()->is_marked(cld->holder_no_keepalive()),
                "a class loader of H2 is not marked");
    });
  });
  log_debug(gc, h2, verify)("Verified the marks in H2");
}

// Leaves the garbage of live runs to H2LiveMap. If it no longer keeps its class loaders, overwrites it
// with filler objects. Evacuated runs are skipped.
class H2SettleTask : public AbstractGangTask {
  volatile uint   _claimed;
  volatile size_t _reachable_words;
  volatile size_t _garbage_words;
  volatile size_t _filled_words;

  static void fill(HeapWord* start, HeapWord* end) {
    CollectedHeap::fill_with_objects(start, pointer_delta(end, start), false);
    size_t size;
    for (HeapWord* p = start; p < end; p += size) {
      size = cast_to_oop(p)->size();
      H2StartTable::record(p, size);
    }
  }

  // Returns the number of filled words.
  static size_t fill_garbage(H2Region* r) {
    size_t filled = 0;
    HeapWord* gap = H2Heap::bottom_of(r);
    const auto end_gap = [&](HeapWord* end) {
      if (gap < end) {
        fill(gap, end);
        filled += pointer_delta(end, gap);
      }
    };
    H2LiveMap::marks().marked_do(MemRegion(gap, r->top()), [&](HeapWord* p, size_t size) {
      end_gap(p);
      gap = p + size;
    });
    end_gap(r->top());
    return filled;
  }

  void settle(H2Region* r, size_t reachable) {
    const size_t used = pointer_delta(r->top(), H2Heap::bottom_of(r));
    const bool   has_all = r->has_all_class_loaders_of_before();
    r->set_garbage_words(used - reachable);
    r->set_marked_top(has_all && reachable < used ? r->top() : NULL);
    Atomic::add(&_garbage_words, used - reachable);
    if (!has_all && reachable < used) {
      Atomic::add(&_filled_words, fill_garbage(r));
    }
  }

 public:
  H2SettleTask() : AbstractGangTask("H2 Settle"), _claimed(0), _reachable_words(0), _garbage_words(0), _filled_words(0) {}

  size_t reachable_words() const { return _reachable_words; }
  size_t garbage_words() const   { return _garbage_words; }
  size_t filled_words() const    { return _filled_words; }

  virtual void work(uint worker_id) {
    uint index;
    while ((index = Atomic::fetch_and_add(&_claimed, 1u)) < H2DeepMarking::_run_limit) {
      H2Region* const r = H2Heap::region(index);
      const size_t reachable = H2DeepMarking::_runs[index]._reachable_words;
      if (!r->is_head() || reachable == 0) {
        continue;                       // not in use, or opened after marking
      }
      Atomic::add(&_reachable_words, reachable);
      if (!r->is_evacuated()) {
        settle(r, reachable);
      }
    }
  }
};

void H2DeepMarking::log_ahead() {
  if (H2AheadMarker::is_resumed()) {
    log_info(gc, h2)("Marked concurrently before it: " SIZE_FORMAT " objects; scanned " SIZE_FORMAT " of them again, on "
                     SIZE_FORMAT " cards",
                     H2AheadMarker::followed_objects(), (size_t)_again_objects, (size_t)_again_cards);
  }
}

void H2DeepMarking::transferred(uint free_before) {
  const uint free = H2Heap::free_count();
  _policy.transferred(free_before - MIN2(free, free_before), free + H2Evacuation::source_count());
}

void H2DeepMarking::finish(WorkGang* workers, uint freed) {
  if (!_is_active) {
    _policy.marked(false, freed, H2Heap::free_count(), H2Heap::region_count());
    return;
  }
  const jlong marked_at = os::javaTimeNanos();
  const uint free_before = H2Heap::free_count();
  _counts->log(workers->active_workers());
  delete _counts;
  _counts = NULL;
  if (VerifyH2 && H2AheadMarker::is_resumed()) {
    verify_marks();
  }
  H2LiveMap::take(&_marks);
  H2Evacuation::select(H2Evacuation::words_for(H2Transfer::goal_millis()));
  H2SettleTask task;
  workers->run_task(&task);
  size_t garbage_words = task.garbage_words();
  const jlong settled_at = os::javaTimeNanos();
  if (!H2Evacuation::is_empty()) {
    if (!H2Evacuation::run(workers)) {
      H2SettleTask with_sources;
      workers->run_task(&with_sources);
      garbage_words = with_sources.garbage_words();
    }
  } else if (task.garbage_words() == 0) {
    H2LiveMap::forget();
  }
  const uint emptied = H2Evacuation::freed_count();
  // The program must not continue on an H2 that was computed from lost marks.
  H2WritebackChecker::check(_pending.writeback_error());
  H2WritebackChecker::check(H2LiveMap::marks().writeback_error());
  _policy.marked(true, freed + MAX2(emptied, H2Evacuation::worth_count()), free_before + emptied, H2Heap::region_count());
  release();
  _is_active = false;
  const jlong end = os::javaTimeNanos();
  _policy.ended(heap_now(), (end - _start) / NANOSECS_PER_MILLISEC, H2Owners::has_freed());
  _ended = end;
  _ended_words = task.reachable_words() + garbage_words;
  _garbage_bound.marked(_start_words, task.reachable_words(), _ended_words, written_words(),
                        H2Heap::region_count() * H2Heap::region_words(), (end - _start) / NANOSECS_PER_MILLISEC, heap_now().now);
  H2Statistics::add(H2Statistics::DeepMarkings, 1);
  H2Journal::add(H2Journal::MarkedThrough, end - _start, 0, task.reachable_words() * HeapWordSize);
  log_info(gc, h2)("Marked through H2: " SIZE_FORMAT "M reachable of " SIZE_FORMAT "M in live regions, "
                   SIZE_FORMAT "M garbage, " SIZE_FORMAT "K of it filled; searched " SIZE_FORMAT
                   "K of marks for objects of other runs; scanned " SIZE_FORMAT " objects; mark with H1 %.1fms, fill %.1fms",
                   task.reachable_words() * HeapWordSize / M, H2Heap::used() / M,
                   task.garbage_words() * HeapWordSize / M, task.filled_words() * HeapWordSize / K,
                   _scanned_words * HeapWordSize / K, (size_t)_followed_objects,
                   (marked_at - _start) / 1e6, (settled_at - marked_at) / 1e6);
  log_ahead();
  H2AheadMarker::finish(_policy.has_gained());
}
