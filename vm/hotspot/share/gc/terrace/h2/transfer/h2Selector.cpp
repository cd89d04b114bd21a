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
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/shared/taskqueue.inline.hpp"
#include "gc/shared/taskTerminator.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "gc/terrace/h2/transfer/h2Rest.hpp"
#include "gc/terrace/h2/transfer/h2Selector.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/objArrayOop.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/prefetch.inline.hpp"
#include "utilities/stack.inline.hpp"

H2Selector::QueueSet* H2Selector::_queues = NULL;

void H2Selector::initialize(uint max_workers) {
  _queues = new QueueSet(max_workers);
  for (uint i = 0; i < max_workers; i++) {
    Queue* const queue = new Queue();
    queue->initialize();
    _queues->register_queue(i, queue);
  }
}

H2Selector::H2Selector(const GrowableArray<H2Tags::Root>& roots, size_t wanted_words, size_t room_words, size_t part_words) :
  _roots(roots), _lock(Mutex::leaf, "H2Select_lock", true, Mutex::_safepoint_check_never), _labels(64, mtGC),
  _label_of_group(64, mtGC), _groups(64, mtGC), _grown(64, mtGC), _grown_is_rest(false),
  _wanted_words(wanted_words), _room_words(room_words), _part_words(part_words), _limit_words(0),
  _takes_larger(true), _root_end(0), _claimed(0), _words(0), _objects(0), _overfull(false), _has_rest(false), _is_cut(NULL),
  _max_groups(0), _leaves_rest(false), _left_out(false), _completes_rest(false), _has_selected_rest(false) {
  make_groups();
  memset(_unhinted, 0, sizeof(_unhinted));
  if (is_in_parts()) {
    // Each label in H2 may get one more group.
    _max_groups = group_count() + (uint)H2LabelSpans::label_count() + H2Heap::committed_count() + 2;
    _is_cut = NEW_RESOURCE_ARRAY(bool, _max_groups);
  }
}

bool H2Selector::try_smaller_part() {
  if (_takes_larger && _words > _part_words) {
    _takes_larger = false;
    return true;
  }
  _part_words = MIN2(_part_words, _room_words) / 2;
  return _part_words >= H2Heap::region_words() / 16;
}

void H2Selector::make_groups() {
  const int roots_per_group = _roots.length() / RootGroups + 1;
  for (int i = 0; i < _roots.length(); i++) {
    const jlong label = _roots.adr_at(i)->label;
    Last* const last = _last_of_label.get(label);
    if (last != NULL && last->roots < roots_per_group) {
      last->roots++;
      _groups.append(last->group);
      continue;
    }
    const uint label_index = last != NULL ? last->label : (uint)_labels.append(label);
    const Last fresh = { label_index, (uint)_label_of_group.append(label_index), 1 };
    _last_of_label.put(label, fresh);
    _groups.append(fresh.group);
  }
}

// Whether the objects to which objects with this label refer are selected, too.
bool H2Selector::is_grown(jlong label) const {
  return _grown_is_rest ? H2Rest::contains(label) : !H2Labels::is_unhinted(label);
}

// Finds the regions that may contain objects with labels for which is_grown() holds.
void H2Selector::find_grown(bool is_rest) {
  _grown_is_rest = is_rest;
  _grown.clear();
  H2Heap::heads_do([&](H2Region* r) {
    if (!r->is_evacuated() && (r->is_shared() || is_grown(r->label()))) {
      _grown.append(r);
    }
  });
}

// Returns the group for objects that are selected without a root. Their label may also have
// groups with roots. Called by any number of workers.
uint H2Selector::group_without_root(jlong label) {
  MutexLocker ml(&_lock, Mutex::_no_safepoint_check_flag);
  const uint* const group = _groups_without_root.get(label);
  if (group != NULL) {
    return *group;
  }
  const Last* const last = _last_of_label.get(label);
  const uint label_index = last != NULL ? last->label : (uint)_labels.append(label);
  const uint fresh = (uint)_label_of_group.append(label_index);
  _groups_without_root.put(label, fresh);
  return fresh;
}

// The selection by one worker.
class H2SelectClosure : public BasicOopIterateClosure {
  friend class H2GrownClosure;

  static const int    ArrayStride = 2048;
  static const size_t ReportWords = 64 * K;
  // Instances are scanned recursively down to this depth, while they are in the cache. Arrays are
  // always queued, so that other workers can steal them.
  static const int    MaxDepth = 8;
  // A claim waits for its memory, and no later instruction runs ahead of it. The memory for array
  // elements is therefore prefetched this many elements ahead.
  static const int    PrefetchDistance = 16;

  H2Selector&              _selector;
  H2Selector::Queue* const _queue;
  H2EligibleKlasses        _klasses;
  uint                     _group;
  int                      _depth;
  // The selected words and objects, and the words that are not yet reported to the selector.
  size_t                   _words;
  size_t                   _objects;
  size_t                   _unreported_words;
  size_t                   _references;     // followed
  const bool               _exact;
  const bool               _may_leave_out;
  bool                     _has_left_out;
  // If not NULL, only objects below it that may move without a hint are selected.
  HeapWord*                _unhinted_end;
  HeapWord*                _lowest;
  HeapWord*                _highest;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (!CompressedOops::is_null(heap_oop)) {
      select(CompressedOops::decode_not_null(heap_oop), false);
    }
  }

  template <typename T> void prefetch(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (!CompressedOops::is_null(heap_oop)) {
      HeapWord* const target = cast_from_oop<HeapWord*>(CompressedOops::decode_not_null(heap_oop));
      if (!H2Range::contains(target)) {
        Prefetch::read(target, 0);
        H2Forwarding::prefetch(target);
      }
    }
  }

  template <typename T> void scan_elements(objArrayOop array, int begin, int end) {
    T* const elements = (T*)array->base();
    for (int i = begin; i < end; i++) {
      if (i + PrefetchDistance < end) {
        prefetch(elements + i + PrefetchDistance);
      }
      work(elements + i);
    }
  }

  void select(oop obj, bool is_root) {
    _references++;
    if (H2Range::contains(obj) || H2Forwarding::is_moving(obj)) {
      return;
    }
    HeapWord* const p = cast_from_oop<HeapWord*>(obj);
    if (_unhinted_end != NULL && p >= _unhinted_end) {
      return;
    }
    Klass* const k = obj->klass();
    if (!_klasses.is_eligible(k) || (!is_root && _selector._shared.contains(obj, k))) {
      return;
    }
    assert(PSParallelCompact::mark_bitmap()->is_marked(obj), "reached from a marked object");
    const size_t size = obj->size_given_klass(k);
    if (_unhinted_end != NULL && !H2Unhinted::may_move(obj, k, size)) {
      return;
    }
    if (_may_leave_out && !fits(size)) {
      _selector._left_out = true;
      _has_left_out = true;
      if (_selector._leaves_rest) {
        _selector._has_rest = true;
        _selector._is_cut[_group] = true;
      }
      return;
    }
    if (!H2Forwarding::claim(p, size, _group)) {
      return;
    }
    _lowest = MIN2(_lowest, p);
    _highest = MAX2(_highest, p + size - 1);
    _words += size;
    _objects++;
    _unreported_words += size;
    if (_unreported_words >= ReportWords || _exact) {
      report();
    }
    if (!H2EligibleKlasses::has_references(k)) {
      return;
    }
    if (k->is_objArray_klass() || _depth == MaxDepth) {
      push(obj, 0);
    } else {
      _depth++;
      obj->oop_iterate(this);
      _depth--;
    }
  }

  void push(oop obj, int index) {
    const H2Selector::Item item = { cast_from_oop<HeapWord*>(obj), _group, index };
    _queue->push(item);
  }

  void report() {
    const size_t total = Atomic::add(&_selector._words, _unreported_words);
    _unreported_words = 0;
    if (total > _selector._limit_words && !_may_leave_out) {
      _selector._overfull = true;
    }
  }

  // Whether an object of this size fits. An object larger than a part is a part by itself.
  bool fits(size_t words) const {
    const size_t selected = Atomic::load(&_selector._words) + _unreported_words;
    return selected + words <= _selector._limit_words ||
           (selected == 0 && _selector._leaves_rest && _selector._takes_larger && words <= _selector._room_words);
  }

 public:
  // exact: stops at the first object that does not fit. may_leave_out: skips objects that do not
  // fit, and continues.
  H2SelectClosure(H2Selector& selector, H2Selector::Queue* queue, bool exact, bool may_leave_out) :
    _selector(selector), _queue(queue), _group(0), _depth(0), _words(0), _objects(0), _unreported_words(0), _references(0),
    _exact(exact), _may_leave_out(may_leave_out), _has_left_out(false), _unhinted_end(NULL),
    _lowest((HeapWord*)UINTPTR_MAX), _highest(NULL) {}

  ~H2SelectClosure() {
    if (_objects == 0) {
      return;
    }
    report();
    H2Forwarding::extend(_lowest, _highest);
    Atomic::add(&_selector._objects, _objects);
  }

  size_t references() const { return _references; }

  void add_root(oop root, uint group) {
    _group = group;
    select(root, true);
    drain();
  }

  void add_grown(H2Region* region);

  // Limits the selection to objects below this address that may move without a hint.
  void select_below(HeapWord* unhinted_end) { _unhinted_end = unhinted_end; }

  // Selects an object and its closure, as far as they may move without a hint. Returns false if
  // an object was left out for lack of space.
  bool add_unhinted(oop obj, uint group) {
    _group = group;
    _has_left_out = false;
    select(obj, false);
    drain();
    return !_has_left_out;
  }

  void scan(H2Selector::Item item) {
    if (_selector._overfull) {
      return;
    }
    _group = item.group;
    oop obj = cast_to_oop(item.object);
    if (obj->is_objArray()) {
      const int length = objArrayOop(obj)->length();
      const int end = item.index + MIN2(length - item.index, ArrayStride);
      if (end < length) {
        push(obj, end);
      }
      if (UseCompressedOops) {
        scan_elements<narrowOop>(objArrayOop(obj), item.index, end);
      } else {
        scan_elements<oop>(objArrayOop(obj), item.index, end);
      }
    } else {
      obj->oop_iterate(this);
    }
  }

  void drain() {
    H2Selector::Item item;
    do {
      while (_queue->pop_overflow(item)) {
        scan(item);
      }
      while (_queue->pop_local(item)) {
        scan(item);
      }
    } while (!_queue->is_empty());
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Selects the H1 objects to which slots of H2 refer.
class H2GrownClosure : public BasicOopIterateClosure {
  H2SelectClosure& _select;
  const H2Region*  _region;
  // The label of the last slot. Adjacent slots usually have the same label.
  jlong            _label;
  bool             _is_wanted;

  void set_label(jlong label) {
    _label = label;
    _is_wanted = _select._selector.is_grown(label);
    if (_is_wanted) {
      _select._group = _select._selector.group_without_root(label);
    }
  }

  // Returns whether the object to which the slot refers may be selected, and sets the group for it.
  bool begin(const void* slot) {
    const jlong label = H2LabelSpans::label_at(_region, slot);
    if (label != _label) {
      set_label(label);
    }
    return _is_wanted;
  }

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop obj = CompressedOops::decode_not_null(heap_oop);
    if (!H2Range::contains(obj)) {
      guarantee(!VerifyH2 || PSParallelCompact::mark_bitmap()->is_marked(obj), "a slot of H2 refers to " PTR_FORMAT
                ", which is dead", p2i(obj));
      if (begin(p)) {
        _select.select(obj, false);
      }
    }
  }

 public:
  H2GrownClosure(H2SelectClosure& select, const H2Region* region) :
    _select(select), _region(region), _label(0), _is_wanted(false) {
    set_label(H2LabelSpans::label_at(region, H2Heap::bottom_of(region)));
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

void H2SelectClosure::add_grown(H2Region* region) {
  H2GrownClosure cl(*this, region);
  H2Cards::slots_to_h1_do(region, &cl);
  drain();
}

// A selection by several workers. Each of them claims roots or regions first, and then steals
// scan work from others.
class H2SelectTask : public AbstractGangTask {
  TaskTerminator _terminator;
  const bool     _exact;
  const bool     _may_leave_out;
  HeapWord* const _unhinted_end;        // NULL for tagged roots and slots of H2
  H2WorkerCounts _counts;

 protected:
  H2Selector&    _selector;

  virtual void select(H2SelectClosure& cl) = 0;

 public:
  H2SelectTask(H2Selector& selector, uint worker_count, bool exact, bool may_leave_out, HeapWord* unhinted_end = NULL) :
    AbstractGangTask("H2 Select"), _terminator(worker_count, H2Selector::_queues),
    _exact(exact), _may_leave_out(may_leave_out), _unhinted_end(unhinted_end), _counts("Select", "references", worker_count),
    _selector(selector) {}

  const H2WorkerCounts& counts() const { return _counts; }

  virtual void work(uint worker_id) {
    ResourceMark rm;
    H2SelectClosure cl(_selector, H2Selector::_queues->queue(worker_id), _exact, _may_leave_out);
    cl.select_below(_unhinted_end);
    select(cl);
    H2Selector::Item item;
    do {
      while (H2Selector::_queues->steal(worker_id, item)) {
        cl.scan(item);
        cl.drain();
      }
    } while (!_terminator.offer_termination());
    _counts.add(worker_id, cl.references());
  }
};

// Selects the closures of tagged roots.
class H2SelectRootsTask : public H2SelectTask {
  // Returns the next root to move, or -1.
  int claim() {
    while (!_selector._overfull) {
      const int i = Atomic::fetch_and_add(&_selector._claimed, 1);
      if (i >= _selector._root_end) {
        break;
      }
      const H2Tags::Root& root = *_selector._roots.adr_at(i);
      if (_selector._leaves_rest && Atomic::load(&_selector._words) >= _selector._limit_words) {
        _selector._has_rest = _selector._has_rest || root.due;
        break;
      }
      if (!root.due && Atomic::load(&_selector._words) >= _selector._wanted_words) {
        continue;   // postponed roots that are due come later
      }
      // H2Torture may choose objects to which the VM refers. These stay, but tagged objects always move.
      if (root.tag != NULL || !_selector._shared.contains(root.object, root.object->klass())) {
        return i;
      }
    }
    return -1;
  }

  virtual void select(H2SelectClosure& cl) {
    int i;
    while ((i = claim()) >= 0) {
      cl.add_root(_selector._roots.adr_at(i)->object, _selector._groups.at(i));
    }
  }

 public:
  // Only a selection with one worker is exact, so that it determines which root did not fit.
  H2SelectRootsTask(H2Selector& selector, uint worker_count, bool may_leave_out) :
    H2SelectTask(selector, worker_count, worker_count == 1, may_leave_out) {}
};

// Selects H1 objects to which slots of H2 refer, as many as fit. Their closures may be split.
class H2SelectGrownTask : public H2SelectTask {
  // Returns the next region, or -1.
  int claim() {
    const int i = Atomic::load(&_selector._words) < _selector._limit_words ? Atomic::fetch_and_add(&_selector._claimed, 1) : -1;
    return i < _selector._grown.length() ? i : -1;
  }

  virtual void select(H2SelectClosure& cl) {
    int i;
    while ((i = claim()) >= 0) {
      cl.add_grown(_selector._grown.at(i));
    }
  }

 public:
  H2SelectGrownTask(H2Selector& selector, uint worker_count) :
    H2SelectTask(selector, worker_count, worker_count == 1, true) {}
};

// Selects objects of one kind that may move without a hint. It searches the old generation chunk
// by chunk, from the position where an earlier collection stopped, and each chunk at most once.
class H2SelectUnhintedTask : public H2SelectTask {
  static const size_t ChunkWords = 64 * K;  // at least the size of a region of the compaction
  // With a time goal, a search covers this many parts, because searching is cheaper than moving.
  static const size_t LookedAtPerPart = 8;

  const H2Unhinted::Kind _kind;
  const uint             _group;
  const size_t           _min_words;
  HeapWord* const        _bottom;
  HeapWord* const        _end;
  const size_t           _first;
  const size_t           _chunk_count;      // to search
  const size_t           _total_count;
  volatile size_t        _claimed;
  // The first chunk in which an object was left out.
  volatile size_t        _left_out;

  static HeapWord* bottom() { return PSParallelCompact::space(PSParallelCompact::old_space_id)->bottom(); }

  static size_t chunks_until(const HeapWord* p) {
    return p > bottom() ? align_up(pointer_delta(p, bottom()), ChunkWords) / ChunkWords : 0;
  }
  static size_t chunk_of(const HeapWord* p) { return p > bottom() ? pointer_delta(p, bottom()) / ChunkWords : 0; }

  size_t max_chunks() const {
    return _selector.is_in_parts() ? MAX2(_selector._part_words / ChunkWords, (size_t)1) * LookedAtPerPart : SIZE_MAX;
  }

  bool is_enough() const {
    return Atomic::load(&_selector._words) + H2Unhinted::EnoughWords >= _selector._limit_words;
  }

  bool is_wanted(oop obj) const {
    return _kind == H2Unhinted::Structures || (obj->is_typeArray() && (size_t)obj->size() >= _min_words);
  }

  // Returns false if an object was left out.
  bool select_in(H2SelectClosure& cl, HeapWord* begin, HeapWord* end) {
    const ParMarkBitMap* const marks = PSParallelCompact::mark_bitmap();
    bool all = true;
    for (HeapWord* p = begin; p < end && (p = marks->find_obj_beg(p, end)) < end; p++) {
      oop obj = cast_to_oop(p);
      if (is_wanted(obj) && !cl.add_unhinted(obj, _group)) {
        all = false;
      }
    }
    return all;
  }

  virtual void select(H2SelectClosure& cl) {
    size_t i;
    while (!is_enough() && (i = Atomic::fetch_and_add(&_claimed, (size_t)1)) < _chunk_count) {
      HeapWord* const begin = _bottom + (_first + i) % _total_count * ChunkWords;
      if (!select_in(cl, begin, MIN2(begin + ChunkWords, _end))) {
        size_t before = Atomic::load(&_left_out);
        while (i < before) {
          before = Atomic::cmpxchg(&_left_out, before, i);
        }
      }
    }
  }

 public:
  H2SelectUnhintedTask(H2Selector& selector, uint worker_count, H2Unhinted::Kind kind, uint group) :
    H2SelectTask(selector, worker_count, worker_count == 1, true, H2Unhinted::end_of(kind)),
    _kind(kind), _group(group),
    _min_words(kind == H2Unhinted::LargeArrays ? H2Unhinted::LargeWords : H2Unhinted::SmallestWords),
    _bottom(bottom()), _end(H2Unhinted::end_of(kind)),
    _first(MIN2(chunk_of(H2Unhinted::cursor(kind)), chunks_until(_end))),
    _chunk_count(MIN2(kind == H2Unhinted::Structures ? chunks_until(_end) : chunks_until(_end) - _first, max_chunks())),
    _total_count(chunks_until(_end)), _claimed(0), _left_out(SIZE_MAX) {}

  bool is_empty() const         { return _chunk_count == 0; }
  bool is_lap() const           { return looked_at_words() == _total_count * ChunkWords; }
  size_t looked_at_words() const { return MIN2(_claimed, _chunk_count) * ChunkWords; }

  // Where the next search begins. Arrays have left all searched chunks. The exceptions are chunks
  // in which an array did not fit, and the last chunk, which may have been incomplete.
  HeapWord* cursor() const {
    const size_t looked_at = looked_at_words() / ChunkWords;
    if (_kind == H2Unhinted::Structures) {
      return _bottom + (_first + looked_at) % _total_count * ChunkWords;
    }
    return MIN2(_bottom + (_first + MIN2(looked_at, _left_out)) * ChunkWords, _end);
  }
};

static void run(WorkGang* workers, uint worker_count, H2SelectTask& task) {
  workers->run_task(&task, worker_count);
  task.counts().log();
}

void H2Selector::clear() {
  H2Forwarding::clear();
  _words = 0;
  _objects = 0;
  _overfull = false;
  _has_rest = false;
}

// Fast roots and others are selected in separate passes, because an object belongs to the first
// root that claims it. Postponed roots may alternate, so the last pass takes all that remain.
void H2Selector::select_in_passes(WorkGang* workers, uint worker_count, int first_root, bool may_leave_out) {
  const int end = _root_end;
  int begin = first_root;
  for (int pass = 1; begin < end && !_overfull; pass++) {
    _root_end = begin + 1;
    while (_root_end < end && (pass == MaxPasses || _roots.adr_at(_root_end)->fast == _roots.adr_at(begin)->fast)) {
      _root_end++;
    }
    _claimed = begin;
    begin = _root_end;
    H2SelectRootsTask task(*this, worker_count, may_leave_out);
    run(workers, worker_count, task);
  }
  _root_end = end;
}

void H2Selector::select_roots(WorkGang* workers, uint worker_count, int first_root) {
  clear();
  _limit_words = _room_words;
  select_in_passes(workers, worker_count, first_root, false);
}

// Selects the objects to which slots of cut labels refer.
void H2Selector::select_rest(WorkGang* workers, size_t max_words) {
  const size_t words_before = _words;
  _limit_words = max_words;
  _has_selected_rest = false;
  _completes_rest = H2Rest::is_empty();
  if (H2Rest::is_empty() || _words >= _limit_words) {
    return;
  }
  find_grown(true);
  _claimed = 0;
  _left_out = false;
  H2SelectGrownTask task(*this, workers->active_workers());
  run(workers, workers->active_workers(), task);
  _grown.clear();
  _has_selected_rest = _words > words_before;
  // At the limit, some regions may not have been scanned.
  _completes_rest = !_left_out && _words < _limit_words;
}

// Selects the objects that earlier parts left first, so that their structures become complete.
int H2Selector::select_part(WorkGang* workers, int first_root, int max_roots) {
  clear();
  memset((void*)_is_cut, 0, _max_groups * sizeof(bool));
  _leaves_rest = true;
  select_rest(workers, _part_words);
  _root_end = MIN2(first_root + max_roots, root_count());
  select_in_passes(workers, workers->active_workers(), first_root, true);
  _leaves_rest = false;
  return _root_end - first_root;
}

int H2Selector::select(WorkGang* workers, int first_root, int max_roots, size_t max_rest_words) {
  if (is_in_parts()) {
    return select_part(workers, first_root, max_roots);
  }
  const int end = MIN2(first_root + max_roots, root_count());
  _root_end = end;
  select_roots(workers, workers->active_workers(), first_root);
  while (_overfull) {
    // Only a selection with one worker determines which root did not fit.
    select_roots(workers, 1, first_root);
    if (_overfull) {
      _root_end = _claimed - 1;
      select_roots(workers, workers->active_workers(), first_root);
    }
  }
  // The limit of half the space makes an attempt with fewer roots fit.
  select_rest(workers, MIN2(max_rest_words, _room_words / 2));
  _overfull = _root_end < end;
  return _root_end - first_root;
}

bool H2Selector::select_grown(WorkGang* workers, size_t max_words) {
  const size_t words_before = _words;
  const size_t end = MIN3(_wanted_words, max_words, _part_words);
  if (words_before >= end) {
    return false;
  }
  if (_grown.is_empty()) {
    find_grown(false);
  }
  _limit_words = end;
  _claimed = 0;
  H2SelectGrownTask task(*this, workers->active_workers());
  run(workers, workers->active_workers(), task);
  return _words > words_before;
}

void H2Selector::select_unhinted_kind(WorkGang* workers, H2Unhinted::Kind kind, uint group) {
  const size_t words_before = _words;
  H2SelectUnhintedTask task(*this, workers->active_workers(), kind, group);
  if (!task.is_empty()) {
    run(workers, workers->active_workers(), task);
    const Unhinted unhinted = { _words - words_before, task.cursor(), task.is_lap() };
    _unhinted[kind] = unhinted;
  }
  log_debug(gc, h2)("Without a hint: searched " SIZE_FORMAT "K for %s, selected " SIZE_FORMAT "K",
                    task.looked_at_words() * HeapWordSize / K, H2Unhinted::name(kind),
                    (_words - words_before) * HeapWordSize / K);
}

bool H2Selector::select_unhinted(WorkGang* workers, size_t max_words, size_t enough_words) {
  memset(_unhinted, 0, sizeof(_unhinted));
  const size_t words_before = _words;
  _limit_words = MIN3(_wanted_words, max_words, _part_words);
  if (words_before >= _limit_words) {
    return false;
  }
  const uint group = group_without_root(H2Labels::Arrays);
  select_unhinted_kind(workers, H2Unhinted::LargeArrays, group);
  if (_words < _limit_words) {
    select_unhinted_kind(workers, H2Unhinted::SmallArrays, group);
  }
  if (_words < MIN2(_limit_words, enough_words) && H2Unhinted::is_lap_due()) {
    select_unhinted_kind(workers, H2Unhinted::Structures, group_without_root(H2Labels::Structures));
  }
  if (_words == words_before) {
    commit_unhinted();    // the searched part without such objects is not searched again
    return false;
  }
  return true;
}

void H2Selector::commit_unhinted() const {
  for (int i = 0; i < H2Unhinted::KindCount; i++) {
    if (_unhinted[i].cursor != NULL) {
      H2Unhinted::moved(H2Unhinted::Kind(i), _unhinted[i].words, _unhinted[i].cursor, _unhinted[i].is_lap);
    }
  }
}
