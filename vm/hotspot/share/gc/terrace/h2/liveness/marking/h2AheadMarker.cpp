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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/liveness/h2NullSlices.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.inline.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/java.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "runtime/safepoint.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/stack.inline.hpp"

H2AheadMarker* H2AheadMarker::_of_h2 = NULL;

H2AheadMarker::Found::Found() {
  dependencies.initialize(H2Heap::region_count());
}

H2AheadMarker::Found::~Found() {
  dependencies.release();
}

H2AheadMarker::Records::Records() : tops(NULL), top_count(0), moved(64, mtGC), found(NULL), claimed(0), followed_before(0) {}

H2AheadMarker::Records::~Records() {
  if (found != NULL) {
    for (uint i = 0; i < H2Heap::region_count(); i++) {
      delete found[i];
    }
    FREE_C_HEAP_ARRAY(Found*, found);
  }
  FREE_C_HEAP_ARRAY(HeapWord*, tops);
}

H2AheadMarker::H2AheadMarker(H2NullSlices& null_slices) :
  _null_slices(null_slices), _state(Idle), _in_a_row(0), _records(NULL), _followed_objects(0), _must_stop(false),
  _monitor(new Monitor(Mutex::leaf, "H2AheadMarker monitor", true, Monitor::_safepoint_check_never)),
  _has_work(false), _is_busy(false) {
  set_name("H2 Ahead Marker");
  create_and_start();
}

void H2AheadMarker::initialize(H2NullSlices& null_slices) {
  if (H2MarkAhead) {
    _of_h2 = new H2AheadMarker(null_slices);
    if (_of_h2->osthread() == NULL) {
      vm_exit_during_initialization("H2MarkAhead needs a thread, and none could be created");
    }
  }
}

// The concurrent thread.

// Follows references inside of one run, and marks objects of other runs as pending.
class H2AheadClosure : public BasicOopIterateClosure {
  // The words of an array that are scanned at once.
  static const size_t ChunkWords = 512;

  H2AheadMarker* const        _marker;
  const uint                  _head_index;
  H2AheadMarker::Found* const _found;
  const Klass*                _last_klass;
  Stack<oop, mtGC>            _stack;

  // decode_not_null would check the target, but a minor collection may be copying it at the same time.
  static oop decode(oop obj)       { return obj; }
  static oop decode(narrowOop obj) { return CompressedOops::decode_raw_not_null(obj); }

  // The program may write the slot at the same time.
  template <typename T> void work(T* p) {
    const T heap_oop = RawAccess<MO_RELAXED>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = decode(heap_oop);
    if (!H2Range::contains(target)) {
      return;
    }
    const uint index = H2Heap::head_index_of(target);
    if (index != _head_index) {
      _found->dependencies.add(index);
      H2MarkingRuns::current().mark(target);
    } else if (H2MarkingRuns::current().set_mark(target)) {
      _stack.push(target);
    }
  }

  void keep_class_loader(Klass* k) {
    if (k != _last_klass) {
      _last_klass = k;
      ClassLoaderData* const cld = k->class_loader_data();
      if (!cld->is_permanent_class_loader_data()) {
        _found->class_loaders.add(cld);
      }
    }
  }

  // Returns false if the thread had to stop before the end.
  bool follow(oop obj) {
    Klass* const k = obj->klass();
    const size_t size = obj->size_given_klass(k);
    keep_class_loader(k);
    if (k->is_objArray_klass() && size > ChunkWords) {
      bool goes_on = true;
      const MemRegion array(cast_from_oop<HeapWord*>(obj), size);
      // The pause scans slices again that the program has written since the marking began.
      _marker->_null_slices.words_do(array, false, [&](MemRegion words) {
        for (HeapWord* p = words.start(); p < words.end() && (goes_on = goes_on && _marker->may_go_on()); p += ChunkWords) {
          obj->oop_iterate(this, MemRegion(p, MIN2(p + ChunkWords, words.end())));
        }
      });
      if (!goes_on) {
        return false;
      }
    } else if (!k->is_typeArray_klass()) {
      assert(!k->is_instance_klass() || !InstanceKlass::cast(k)->is_reference_instance_klass(), "H2 has none");
      obj->oop_iterate(this);
    }
    H2MarkingRuns::current().followed(_head_index, size);
    Atomic::store(&_marker->_followed_objects, _marker->_followed_objects + 1);
    return true;
  }

  bool follow_stack() {
    while (!_stack.is_empty()) {
      oop obj = _stack.pop();
      if (!_marker->may_go_on() || !follow(obj)) {
        _stack.push(obj);
        return false;
      }
    }
    return true;
  }

 public:
  H2AheadClosure(H2AheadMarker* marker, uint head) :
    _marker(marker), _head_index(head), _found(marker->_records->found_in(head)), _last_klass(NULL) {}

  // Returns false if the thread had to stop. The remaining objects are then pending.
  bool follow_run() {
    bool goes_on = true;
    do {
      goes_on = H2MarkingRuns::current().pending_do(_head_index, [&](oop obj) {
        _stack.push(obj);
        return follow_stack();
      });
      while (!_stack.is_empty()) {
        H2MarkingRuns::current().set_pending(_head_index, _stack.pop());
      }
    } while (goes_on && !H2MarkingRuns::current().finish_scan(_head_index));
    return goes_on;
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Waits during pauses, to leave the processors to them.
bool H2AheadMarker::may_go_on() const {
  while (SafepointSynchronize::is_at_safepoint() && !Atomic::load(&_must_stop) && !should_terminate()) {
    os::naked_short_sleep(1);
  }
  return !Atomic::load(&_must_stop) && !should_terminate();
}

// Marks the moved objects, because the collection that moved them found them alive.
bool H2AheadMarker::mark_moved() const {
  const GrowableArray<MemRegion>& moved = _records->moved;
  for (int i = 0; i < moved.length(); i++) {
    HeapWord* const end = moved.at(i).end();
    for (HeapWord* p = moved.at(i).start(); p < end; p += cast_to_oop(p)->size()) {
      if (!may_go_on()) {
        return false;
      }
      H2MarkingRuns::current().mark(cast_to_oop(p));
    }
  }
  return true;
}

bool H2AheadMarker::follow() {
  uint head;
  while (H2MarkingRuns::current().claim(head)) {
    H2AheadClosure cl(this, head);
    if (!cl.follow_run()) {
      H2MarkingRuns::current().give_back(head);
      return false;
    }
  }
  return true;
}

H2AheadMarker::Found* H2AheadMarker::Records::found_in(uint head) {
  if (found[head] == NULL) {
    found[head] = new Found();
  }
  return found[head];
}

void H2AheadMarker::run_service() {
  while (true) {
    {
      MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
      _is_busy = _has_work;
      ml.notify_all();
      while (!_has_work && !should_terminate()) {
        ml.wait();
      }
      if (should_terminate()) {
        _is_busy = false;
        return;
      }
      _has_work = false;
    }
    const jlong start = os::javaTimeNanos();
    const bool has_ended = mark_moved() && follow();
    log_debug(gc, h2)("Marked " SIZE_FORMAT " objects concurrently in %.1fms%s", followed_objects(),
                      (os::javaTimeNanos() - start) / 1e6, has_ended ? "" : ", until a collection began");
  }
}

void H2AheadMarker::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify_all();
}

void H2AheadMarker::go() {
  Atomic::store(&_must_stop, false);
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  _has_work = true;
  _is_busy = true;
  ml.notify_all();
}

bool H2AheadMarker::is_busy() {
  MonitorLocker ml(_of_h2->_monitor, Mutex::_no_safepoint_check_flag);
  return _of_h2->_is_busy;
}

void H2AheadMarker::await_idle() {
  Atomic::store(&_must_stop, true);
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  while (_is_busy) {
    ml.wait();
  }
}

// Functions of the collection that records roots.

bool H2AheadMarker::begin_noting() {
  assert(is_in(Idle), "one at a time");
  if (_of_h2->_in_a_row >= MaxInARow) {
    log_debug(gc, h2)("H2 is not marked ahead of the next collection, so that all garbage is found");
    return false;
  }
  // The marks cover all regions, because a transfer may open any of them.
  const char* const error = H2MarkingRuns::current().prepare(H2Heap::region_count());
  if (error != NULL) {
    log_info(gc, h2)("H2 is not marked ahead of the next collection: no file for the marks in %s: %s", H2Storage::of_h2().flag(), error);
    return false;
  }
  _of_h2->_records = new Records();
  _of_h2->_state = Noting;
  return true;
}

void H2AheadMarker::note_root(oop obj) {
  if (H2MarkingRuns::current().set_mark(obj)) {
    H2MarkingRuns::current().set_pending(H2Heap::head_index_of(obj), obj);
  }
}

void H2AheadMarker::Records::note_tops() {
  top_count = H2Heap::heap().committed_count();
  tops = NEW_C_HEAP_ARRAY(HeapWord*, top_count, mtGC);
  for (uint i = 0; i < top_count; i++) {
    const H2Region* const r = H2Heap::region(i);
    tops[i] = r->is_head() ? r->top() : NULL;
  }
}

void H2AheadMarker::before_transfer() {
  if (is_in(Noting)) {
    _of_h2->_records->note_tops();
  }
}

void H2AheadMarker::Records::find_moved() {
  H2Heap::heap().heads_do([this](H2Region* r) {
    const uint index = H2Heap::index_of_region(r);
    HeapWord* const before = index < top_count ? tops[index] : NULL;
    HeapWord* const from = before != NULL ? before : H2Heap::bottom_of(r);
    if (from < r->top()) {
      moved.append(MemRegion(from, r->top()));
    }
  });
}

void H2AheadMarker::Records::start(size_t followed) {
  find_moved();
  found = NEW_C_HEAP_ARRAY(Found*, H2Heap::region_count(), mtGC);
  memset((void*)found, 0, H2Heap::region_count() * sizeof(Found*));
  followed_before = followed;
  H2Heap::heap().heads_do([](H2Region* r) { H2MarkingRuns::current().enqueue_if_pending(H2Heap::index_of_region(r)); });
}

void H2AheadMarker::start_if_due(bool is_due) {
  if (!is_in(Noting)) {
    return;
  }
  if (!is_due) {
    log_debug(gc, h2)("H2 is not marked ahead of the next collection, which will not mark through H2");
    discard();
    return;
  }
  _of_h2->_records->start(_of_h2->_followed_objects);
  _of_h2->_state = Marking;
  _of_h2->go();
}

// Functions of the collection after it, which may mark through H2.

void H2AheadMarker::stop_marking() {
  if (is_in(Marking)) {
    _of_h2->await_idle();
    _of_h2->_state = Stopped;
  }
}

void H2AheadMarker::resume() {
  assert(is_in(Stopped), "in this order");
  _of_h2->_state = Resumed;
  H2Heap::heap().heads_do([](H2Region* r) {
    const uint index = H2Heap::index_of_region(r);
    const bool is_found = _of_h2->_records->found[index] != NULL;
    if (is_found) {
      found_do(index, [](uint) {}, [=](ClassLoaderData* cld) { r->add_class_loader(cld); });
    }
    if (is_found || H2MarkingRuns::current().is_queued(index)) {
      r->set_live(true);
    }
  });
}

bool H2AheadMarker::Records::claim(uint& index) {
  const uint limit = H2Heap::heap().committed_count();
  while (Atomic::load(&claimed) < limit) {
    index = Atomic::fetch_and_add(&claimed, 1u);
    if (index < limit && !H2Heap::region(index)->is_free() &&
        found[H2Heap::index_of_region(H2Heap::head_of_run(H2Heap::region(index)))] != NULL) {
      return true;
    }
  }
  return false;
}

bool H2AheadMarker::claim(uint& index) {
  return is_in(Resumed) && _of_h2->_records->claim(index);
}

uint H2AheadMarker::unclaimed() {
  if (!is_in(Resumed)) {
    return 0;
  }
  const uint limit = H2Heap::heap().committed_count();
  return limit - MIN2(Atomic::load(&_of_h2->_records->claimed), limit);
}

void H2AheadMarker::release() {
  delete _records;
  _records = NULL;
  _state = Idle;
}

void H2AheadMarker::discard() {
  if (is_in(Noting) || is_in(Stopped)) {
    H2MarkingRuns::current().release();
    _of_h2->release();
  }
}

void H2AheadMarker::finish(bool has_gained) {
  if (_of_h2 == NULL) {
    return;
  }
  if (!is_in(Resumed)) {
    _of_h2->_in_a_row = 0;
    return;
  }
  _of_h2->_in_a_row = has_gained ? _of_h2->_in_a_row + 1 : MaxInARow;
  H2Statistics::add(H2Statistics::AheadMarkings, 1);
  _of_h2->release();
}
