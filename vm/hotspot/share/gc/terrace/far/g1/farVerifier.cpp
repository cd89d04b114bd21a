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
#include "classfile/classLoaderData.hpp"
#include "classfile/classLoaderDataGraph.hpp"
#include "classfile/javaClasses.inline.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.inline.hpp"
#include "gc/g1/g1RootProcessor.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farBits.hpp"
#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/g1/farVerifier.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/safepoint.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/stack.inline.hpp"

class FarVerifyClosure : public ClaimMetadataVisitingOopIterateClosure {
  static const size_t MostReported = 10;

  G1CollectedHeap* const _heap;
  FarBits&               _marked;
  Stack<oop, mtGC>       _stack;
  oop                    _holder;      // NULL: a root
  size_t                 _visited;
  size_t                 _missed;

  void report(oop obj) {
    if (++_missed <= MostReported) {
      ResourceMark rm;
      HeapRegion* const region = _heap->heap_region_containing(obj);
      log_error(gc, far)("Not marked: " PTR_FORMAT " (%s) in region %u (%s), referred to by " PTR_FORMAT " (%s)",
                         p2i(obj), obj->klass()->external_name(), region->hrm_index(), region->get_type_str(),
                         p2i(_holder), _holder == NULL ? "a root" : _holder->klass()->external_name());
    }
  }

  template <class T> void do_oop_work(T* p) {
    const T value = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(value)) {
      return;
    }
    const oop obj = CompressedOops::decode_not_null(value);
    if (_marked.at(bit_of(obj))) {
      return;
    }
    _marked.set_bit(bit_of(obj));
    _visited++;
    if (_heap->is_obj_ill(obj)) {
      report(obj);
    }
    _stack.push(obj);
  }

  // A Reference whose referent is not marked must have been discovered, so that it can be cleared.
  void check_referent(oop reference) {
    const oop referent = java_lang_ref_Reference::unknown_referent_no_keepalive(reference);
    if (referent != NULL && _heap->is_obj_ill(referent) && java_lang_ref_Reference::discovered(reference) == NULL) {
      report(referent);
    }
  }

  size_t bit_of(oop obj) const {
    return pointer_delta(cast_from_oop<HeapWord*>(obj), _heap->reserved().start()) >> LogMinObjAlignment;
  }

 public:
  FarVerifyClosure(G1CollectedHeap* heap, FarBits& marked) :
    ClaimMetadataVisitingOopIterateClosure(ClassLoaderData::_claim_other), _heap(heap),
    _marked(marked), _holder(NULL), _visited(0), _missed(0) {}

  virtual void do_oop(oop* p)       { do_oop_work(p); }
  virtual void do_oop(narrowOop* p) { do_oop_work(p); }

  // Skip weak references, because they are processed after the verification.
  virtual ReferenceIterationMode reference_iteration_mode() { return DO_FIELDS_EXCEPT_REFERENT; }

  void follow() {
    while (!_stack.is_empty()) {
      _holder = _stack.pop();
      _holder->oop_iterate(this);
      if (_holder->klass()->id() == InstanceRefKlassID) {
        check_referent(_holder);
      }
    }
    _holder = NULL;
  }

  size_t visited() const { return _visited; }
  size_t missed() const  { return _missed; }
};

size_t FarVerifier::_marked_before = 0;

// Counts only committed regions, because the bitmap of the other regions is not committed.
size_t FarVerifier::count_marked(G1CollectedHeap* heap, uint index) {
  HeapRegion* const region = heap->region_at_or_null(index);
  if (region == NULL) {
    return 0;
  }
  const G1CMBitMap* const bitmap = heap->concurrent_mark()->next_mark_bitmap();
  size_t count = 0;
  for (HeapWord* addr = bitmap->get_next_marked_addr(region->bottom(), region->end()); addr < region->end();
       addr = bitmap->get_next_marked_addr(addr + MinObjAlignment, region->end())) {
    count++;
  }
  return count;
}

void FarVerifier::note_marked(G1CollectedHeap* heap) {
  _marked_before = 0;
  for (uint i = 0; i < heap->max_regions(); i++) {
    SuspendibleThreadSetJoiner no_uncommit;
    _marked_before += count_marked(heap, i);
  }
}

void FarVerifier::verify(G1CollectedHeap* heap) {
  assert(SafepointSynchronize::is_at_safepoint(), "must be");
  size_t marked_now = 0;
  for (uint i = 0; i < heap->max_regions(); i++) {
    marked_now += count_marked(heap, i);
  }
  log_debug(gc, far)("Remark: " SIZE_FORMAT " objects were marked after concurrent marking, " SIZE_FORMAT " by it; " SIZE_FORMAT
                     " pages have deferred objects", marked_now - MIN2(marked_now, _marked_before), _marked_before,
                     FarDeferred::page_count());
  FarBits marked;
  if (!marked.allocate(heap->reserved().word_size() >> LogMinObjAlignment)) {
    log_warning(gc, far)("VerifyFarMemory: there is no memory for a bitmap; marking is not verified");
    return;
  }
  FarVerifyClosure closure(heap, marked);
  {
    ClassLoaderDataGraph::clear_claimed_marks(ClassLoaderData::_claim_other);
    CLDToOopClosure clds(&closure, ClassLoaderData::_claim_other);
    CodeBlobToOopClosure blobs(&closure, !CodeBlobToOopClosure::FixRelocations);
    G1RootProcessor roots(heap, 1);
    roots.process_strong_roots(&closure, &clds, &blobs);
    closure.follow();
    ClassLoaderDataGraph::clear_claimed_marks(ClassLoaderData::_claim_other);
  }
  marked.free();
  log_debug(gc, far)("Verified: " SIZE_FORMAT " objects are reachable, " SIZE_FORMAT " of them not marked",
                     closure.visited(), closure.missed());
  guarantee(closure.missed() == 0, "concurrent marking missed " SIZE_FORMAT " of " SIZE_FORMAT " reachable objects",
            closure.missed(), closure.visited());
}
