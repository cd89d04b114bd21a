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
#include "gc/shared/gcLocker.inline.hpp"
#include "gc/shared/gcVMOperations.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/transfer/h2Pretenuring.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"
#include "memory/universe.hpp"
#include "oops/arrayOop.hpp"
#include "oops/klass.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/init.hpp"
#include "runtime/thread.hpp"
#include "runtime/vmThread.hpp"


H2Pretenuring* H2Pretenuring::_of_h2 = NULL;

static uint run_length_for(size_t words) {
  return (uint)((words + H2Heap::region_words() - 1) / H2Heap::region_words());
}

bool H2Pretenuring::is_enabled() {
  return !H2Range::is_empty() && H2MoveUnhinted;
}

size_t H2Pretenuring::h1_words() {
  return H1Heap::max_old_bytes() / HeapWordSize;
}

bool H2Pretenuring::is_too_large_for_h1(size_t words) {
  return words > MAX2(h1_words(), H1Heap::max_young_bytes() / HeapWordSize);
}

// Gives access to the size of the failed allocation.
class H2FailedAllocation : public VM_CollectForAllocation {
 public:
  static size_t words(const VM_CollectForAllocation& operation) { return operation.*(&H2FailedAllocation::_word_size); }
};

bool H2Pretenuring::is_failed_allocation_too_large() {
  const VM_Operation* const operation = VMThread::vm_operation();
  if (operation == NULL || operation->type() != VM_Operation::VMOp_ParallelGCFailedAllocation) {
    return false;
  }
  return is_too_large_for_h1(H2FailedAllocation::words(*static_cast<const VM_CollectForAllocation*>(operation)));
}

// Bounds the space of dead arrays by the size of the old generation, or by the space of
// the live arrays if that is larger.
bool H2Pretenuring::is_collection_due() const {
  return _allocated_words > MAX2(h1_words(), _live_words);
}

HeapWord* H2Pretenuring::allocate_at_safepoint(Klass* k, size_t words, const char** error) {
  const uint run_length = run_length_for(words);
  H2Region* const r = H2Heap::heap().open(run_length, H2Labels::Arrays, error, H2Heap::ForProgram);
  if (r == NULL) {
    return NULL;
  }
  HeapWord* const array = H2Heap::bottom_of(r);
  oopDesc::set_mark(array, markWord::prototype());
  arrayOopDesc::set_length(array, (int)(words - arrayOopDesc::header_size(T_LONG)));
  oopDesc::release_set_klass(array, Universe::longArrayKlassObj());
  H2StartTable::of_h2().record(array, words);
  H2Cards::of_h2().null_slices().allocated(MemRegion(array, words));
  r->set_top(array + words);
  r->set_pretenured();
  r->add_class_loader(k->class_loader_data());
  _allocated_words += run_length * H2Heap::region_words();
  ResourceMark rm;
  log_info(gc, h2)("Allocated an array (%s) of " SIZE_FORMAT "K in H2, because the heap has no space for it", k->external_name(),
                   words * HeapWordSize / K);
  return array;
}

void H2Pretenuring::collect(bool last_resort) {
  _is_collecting = true;
  Universe::heap()->do_full_collection(last_resort);
  _is_collecting = false;
}

void H2Pretenuring::end_major_collection() {
  _allocated_words = 0;
  _live_words = 0;
  H2Heap::heap().heads_do([this](H2Region* r) {
    _live_words += r->is_pretenured() ? r->run_length() * H2Heap::region_words() : 0;
  });
}

class H2PretenuringOperation : public VM_CollectForAllocation {
  Klass* const _klass;
  const size_t _words;
  const bool   _may_collect;
  const char*  _error;

  bool try_to_allocate() {
    _result = H2Pretenuring::of_h2().allocate_at_safepoint(_klass, _words, &_error);
    return _result != NULL;
  }

  bool collect_and_try(bool last_resort) {
    H2Pretenuring::of_h2().collect(last_resort);
    return try_to_allocate();
  }

 protected:
  // Another thread's collection does not make this operation superfluous.
  virtual bool skip_operation() const { return false; }

 public:
  // The base class gets no size, because it would report that a collection is required.
  H2PretenuringOperation(Klass* k, size_t words, bool may_collect) :
    VM_CollectForAllocation(0, 0, GCCause::_allocation_failure), _klass(k), _words(words), _may_collect(may_collect),
    _error(NULL) {}

  const char* error() const { return _error; }

  virtual VMOp_Type type() const { return VMOp_ParallelGCFailedAllocation; }

  virtual void doit() {
    if (!(_may_collect && H2Pretenuring::of_h2().is_collection_due()) && try_to_allocate()) {
      return;
    }
    if (_may_collect) {
      SvcGCMarker sgcm(SvcGCMarker::FULL);
      GCCauseSetter gccs(Universe::heap(), _gc_cause);
      if (collect_and_try(false) || collect_and_try(true)) {
        return;
      }
    }
    if (GCLocker::is_active_and_needs_gc()) {
      set_gc_locked();
    }
  }
};

HeapWord* H2Pretenuring::allocate(Klass* k, size_t words) {
  const bool is_too_large = is_enabled() && is_too_large_for_h1(words);
  // A smaller array would waste more than half of its region.
  if (!is_enabled() || !k->is_array_klass() || !(is_too_large || words >= H2Heap::region_words() / 2) ||
      !is_init_completed()) {
    return NULL;
  }
  JavaThread* const thread = JavaThread::current();
  const char* error = NULL;
  for (uint stalls = 0; stalls <= GCLockerRetryAllocationCount; stalls++) {
    // If the array fits into an empty H1, the failed allocation there has collected both heaps.
    H2PretenuringOperation operation(k, words, is_too_large && run_length_for(words) <= H2Heap::region_count());
    VMThread::execute(&operation);
    HeapWord* const result = operation.result();
    error = operation.error();
    if (result != NULL) {
      return result;
    }
    if (!operation.gc_locked() || thread->in_critical()) {
      break;
    }
    GCLocker::stall_until_clear();
  }
  ResourceMark rm(thread);
  log_info(gc, h2)("Neither the heap nor H2 has space for an array (%s) of " SIZE_FORMAT "K: %s",
                   k->external_name(), words * HeapWordSize / K, error);
  return NULL;
}
