/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTCLOSURE_INLINE_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTCLOSURE_INLINE_HPP

#include "gc/shared/taskqueue.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/h2/transfer/selection/h2Selection.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/objArrayOop.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/prefetch.inline.hpp"
#include "utilities/stack.inline.hpp"

// The selection by one worker.
class H2SelectClosure : public BasicOopIterateClosure {
 public:
  // A unit of pending scan work: one object, or an array from an index on, together with the
  // group that it is selected for.
  struct Item {
    HeapWord* object;
    uint      group;
    int       index;
  };
  typedef OverflowTaskQueue<Item, mtGC, 1 << 14> Queue;

 private:
  static const int    ArrayStride = 2048;
  static const size_t ReportWords = 64 * K;
  // Instances are scanned recursively down to this depth, while they are in the cache. Arrays are
  // always queued, so that other workers can steal them.
  static const int    MaxDepth = 8;
  // A claim waits for its memory, and no later instruction runs ahead of it. The memory for array
  // elements is therefore prefetched this many elements ahead.
  static const int    PrefetchDistance = 16;

  H2Selection&             _selection;
  Queue* const             _queue;
  H2EligibleKlasses        _klasses;
  uint                     _group;
  const uint* const        _label_of_group;
  // The moving object whose references are followed. NULL for a root and for slots of H2.
  HeapWord*                _holder;
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

  // The group with which the slot moves that refers to the current object. If the tables were full, this may be
  // another group than that of the structure for which the holder was selected.
  uint group_of_slot() const {
    return _holder == NULL ? _group : H2Forwarding::of_h2().group_of_object(_holder);
  }

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
        H2Forwarding::of_h2().prefetch(target);
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
    if (H2Range::contains(obj) || H2Forwarding::of_h2().is_moving(obj)) {
      return;
    }
    HeapWord* const p = cast_from_oop<HeapWord*>(obj);
    if (_unhinted_end != NULL && p >= _unhinted_end) {
      return;
    }
    Klass* const k = obj->klass();
    if (!_klasses.is_eligible(k) || (!is_root && _selection.is_shared(obj, k))) {
      return;
    }
    assert(H2Forwarding::of_h2().is_marked(obj), "reached from a marked object");
    const size_t size = obj->size_given_klass(k);
    if (_unhinted_end != NULL && !H2Unhinted::of_h2().may_move(obj, k, size)) {
      return;
    }
    if (_may_leave_out && !_selection.fits(size, _unreported_words)) {
      _has_left_out = true;
      _selection.leave_out(group_of_slot(), size);
      return;
    }
    if (!H2Forwarding::of_h2().claim(p, size, _group, _label_of_group)) {
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
      HeapWord* const holder = _holder;
      _holder = p;
      _depth++;
      obj->oop_iterate(this);
      _depth--;
      _holder = holder;
    }
  }

  void push(oop obj, int index) {
    const Item item = { cast_from_oop<HeapWord*>(obj), _group, index };
    _queue->push(item);
  }

  void report() {
    _selection.add_words(_unreported_words, _may_leave_out);
    _unreported_words = 0;
  }

 public:
  // exact: stops at the first object that does not fit. may_leave_out: skips objects that do not
  // fit, and continues.
  H2SelectClosure(H2Selection& selection, Queue* queue, bool exact, bool may_leave_out) :
    _selection(selection), _queue(queue), _group(0), _label_of_group(selection.groups().label_of_group()), _holder(NULL),
    _depth(0), _words(0), _objects(0), _unreported_words(0), _references(0),
    _exact(exact), _may_leave_out(may_leave_out), _has_left_out(false), _unhinted_end(NULL),
    _lowest((HeapWord*)UINTPTR_MAX), _highest(NULL) {}

  ~H2SelectClosure() {
    if (_objects == 0) {
      return;
    }
    report();
    H2Forwarding::of_h2().extend(_lowest, _highest);
    _selection.add_objects(_objects);
  }

  size_t references() const { return _references; }

  void add_root(oop root, uint group) {
    _group = group;
    _holder = NULL;
    select(root, true);
    drain();
  }

  // Selects an object for this group. Its closure is pending until drain().
  void add(oop obj, uint group) {
    _group = group;
    _holder = NULL;
    select(obj, false);
  }

  // Limits the selection to objects below this address that may move without a hint.
  void select_below(HeapWord* unhinted_end) { _unhinted_end = unhinted_end; }

  // Selects an object and its closure, as far as they may move without a hint. Returns false if
  // an object was left out for lack of space.
  bool add_unhinted(oop obj, uint group) {
    _group = group;
    _holder = NULL;
    _has_left_out = false;
    select(obj, false);
    drain();
    return !_has_left_out;
  }

  void scan(Item item) {
    if (_selection.is_overfull()) {
      return;
    }
    _group = item.group;
    _holder = item.object;
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
    Item item;
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

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTCLOSURE_INLINE_HPP
