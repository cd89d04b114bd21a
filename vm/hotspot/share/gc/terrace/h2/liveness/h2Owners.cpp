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
#include "classfile/javaClasses.inline.hpp"
#include "gc/shared/oopStorage.inline.hpp"
#include "gc/shared/oopStorageSet.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "logging/log.hpp"
#include "memory/iterator.hpp"
#include "oops/access.inline.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/klass.inline.hpp"
#include "oops/method.hpp"
#include "oops/oop.inline.hpp"
#include "oops/symbol.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/thread.hpp"
#include "runtime/vframe.inline.hpp"
#include "runtime/vmOperations.hpp"
#include "runtime/vmThread.hpp"

H2Owners* H2Owners::_of_h2 = NULL;

H2Owners::H2Owners() :
  _is_counting(false), _is_deep(false), _kept(0), _kept_before(0), _live(0), _was_in_vain(false), _moved_before(0), _weakly(0),
  _undecided(NULL), _lock(new Mutex(Mutex::leaf, "H2Owners_lock", true, Mutex::_safepoint_check_never)) {}

bool H2Owners::is_library_waiting() {
  static const int MaxFrames = 8;
  const VM_Operation* const operation = VMThread::vm_operation();
  Thread* const thread = operation != NULL ? operation->calling_thread() : NULL;
  if (thread == NULL || !thread->is_Java_thread() || !thread->as_Java_thread()->has_last_Java_frame()) {
    return false;
  }
  vframeStream frames(thread->as_Java_thread());
  for (int i = 0; i < MaxFrames && !frames.at_end(); i++) {
    const Symbol* const holder = frames.method()->method_holder()->name();
    if (holder->equals("java/nio/Bits") || holder->equals("sun/nio/ch/FileChannelImpl")) {
      return true;
    }
    frames.next();
  }
  return false;
}

void H2Owners::begin_marking(bool deep) {
  _kept_before = _kept;
  _kept = 0;
  _weakly = 0;
  _moved_before = H2Statistics::get(H2Statistics::MovedBytes);
  _is_deep = deep;
  _is_counting = true;
  if (deep) {
    _undecided = new (ResourceObj::C_HEAP, mtGC) GrowableArray<oop>(64, mtGC);
  }
}

void H2Owners::found(oop reference, ReferenceType type) {
  // Objects with weak or soft references manage their resources themselves, so they do not need
  // prompt processing.
  if (type != REF_PHANTOM && type != REF_FINAL) {
    Atomic::inc(&_weakly);
    if (type == REF_SOFT) {
      H2Heap::head_of(cast_from_oop<void*>(java_lang_ref_Reference::unknown_referent_no_keepalive(reference)))
        ->set_softly_held(true);
    }
    return;
  }
  if (!_is_deep) {
    count();
  } else {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    _undecided->append(reference);
  }
}

void H2Owners::found_target(oop obj) {
  const Klass* const k = obj->klass();
  if (k->is_instance_klass() && (k->has_finalizer() || k->name()->starts_with("java/nio/Direct"))) {
    count();
  }
}

bool H2Owners::may_be_more() const {
  return H2Statistics::get(H2Statistics::MovedBytes) != _moved_before;
}

// Weak handles are processed in the same pause anyway, to clear those to dead objects.
class H2CountClosure : public OopClosure {
  size_t _count;

 public:
  H2CountClosure() : _count(0) {}

  size_t count() const              { return _count; }

  virtual void do_oop(oop* p)       { _count += H2Range::contains(RawAccess<>::oop_load(p)) ? 1 : 0; }
  virtual void do_oop(narrowOop* p) { ShouldNotReachHere(); }
};

void H2Owners::count_native(GCCause::Cause cause) {
  if (!GCCause::is_user_requested_gc(cause)) {
    return;
  }
  H2CountClosure cl;
  for (OopStorage* storage : OopStorageSet::Range<OopStorageSet::WeakId>()) {
    if (strcmp(storage->name(), "JNI Weak") == 0) {
      storage->oops_do(&cl);
    }
  }
  _weakly += cl.count();
}

void H2Owners::end_marking(GCCause::Cause cause, bool was_ahead) {
  _is_counting = false;
  if (_is_deep) {
    for (int i = 0; i < _undecided->length(); i++) {
      oop referent = java_lang_ref_Reference::unknown_referent_no_keepalive(_undecided->at(i));
      if (referent != NULL && H2MarkingRuns::current().is_marked(cast_from_oop<void*>(referent))) {
        count();
      }
    }
    delete _undecided;
    _undecided = NULL;
    // Objects that were marked ahead may have been dropped since.
    _live = was_ahead ? MIN2(_live, (size_t)_kept) : (size_t)_kept;
    _was_in_vain = false;
  } else {
    _live = MIN2(_live, (size_t)_kept);
    if (GCCause::is_user_requested_gc(cause)) {
      _was_in_vain = _kept > _live && _kept >= _kept_before;
    }
  }
  if (_kept != 0 || _kept_before != 0) {
    log_debug(gc, h2)("H2 keeps " SIZE_FORMAT " owners of something outside of the heap, " SIZE_FORMAT " before",
                      (size_t)_kept, _kept_before);
  }
}
