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
#include "gc/shared/collectedHeap.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/report/h2Verifier.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/universe.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/formatBuffer.hpp"

class H2VerifyClosure : public BasicOopIterateClosure {
  const char* const _when;
  const uint        _head_index;
  oop               _object;

  // The barrier marks the card of the slot. For a field, it may mark the card of the header instead.
  bool has_card(void* slot, oop target, bool needed_by_minor) {
    CardTable* const ct = H1Heap::card_table();
    const CardTable::CardValue at_slot = *ct->byte_for(slot);
    const CardTable::CardValue at_header = *ct->byte_for(cast_from_oop<void*>(_object));
    if (at_slot == H2Card::Dirty || (_object->is_instance() && at_header == H2Card::Dirty)) {
      return true;
    }
    if (at_slot == H2Card::Remembered) {
      const H2Targets* const targets = H2Heap::region(H2Heap::index_of(slot))->targets();
      return targets != NULL && targets->contains(target);
    }
    return needed_by_minor ? at_slot == H2Card::Young : at_slot != H2Card::Clean;
  }

  void check(bool condition, void* slot, oop target, const char* message) {
    guarantee(condition, "%s: H2 region %u, object " PTR_FORMAT " (%s), slot " PTR_FORMAT " -> " PTR_FORMAT ": %s",
              _when, _head_index, p2i(_object), _object->klass()->external_name(), p2i(slot), p2i(target), message);
  }

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    check(!_object->is_objArray() || *H1Heap::card_table()->byte_for(p) != H2Card::Clean ||
          !H2Cards::of_h2().null_slices().is_null_at(p), p, target, "the slice counts as null");
    check(Universe::heap()->is_in(target), p, target, "refers to no object");
    check(oopDesc::is_oop(target), p, target, "refers to no object");
    if (H2Range::contains(target)) {
      const uint index = H2Heap::head_index_of(target);
      check(!H2LiveMap::of_h2().is_garbage(H2Heap::region(index), cast_from_oop<void*>(target)), p, target, "refers to garbage");
      check(index == _head_index || H2Dependencies::of_h2().contains(_head_index, index) || has_card(p, target, true), p, target,
            "no dependency records the reference");
    } else {
      const bool is_young = H1Heap::is_in_young(target);
      check(has_card(p, target, is_young), p, target,
            is_young ? "a minor collection would not see the reference" : "a major collection would not see the reference");
    }
  }

 public:
  H2VerifyClosure(const char* when, H2Region* r) :
    _when(when), _head_index(H2Heap::index_of_region(r)), _object(NULL) {}

  void set_object(oop obj)          { _object = obj; }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

static void verify_targets(const char* when, const H2Region* r) {
  if (r->targets() == NULL) {
    return;
  }
  r->targets()->objects_do([=](oop target) {
    guarantee(H1Heap::is_in_old(target) && oopDesc::is_oop(target),
              "%s: H2 region %u: target " PTR_FORMAT " is no object of the old generation", when,
              H2Heap::index_of_region(r), p2i(target));
  });
}

void H2Verifier::verify(const char* when) {
  ResourceMark rm;
  uint regions = 0;
  H2LabelSpans::verify(when);
  H2Heap::heap().heads_do([&](H2Region* r) {
    const uint index = H2Heap::index_of_region(r);
    regions += r->run_length();
    for (uint i = 0; i < r->run_length(); i++) {
      verify_targets(when, r + i);
    }
    H2VerifyClosure cl(when, r);
    HeapWord* p = H2Heap::bottom_of(r);
    guarantee(r->top() <= H2Heap::end_of(r), "%s: H2 region %u: top beyond end", when, index);
    while (p < r->top()) {
      oop obj = cast_to_oop(p);
      guarantee(Metaspace::contains(obj->klass_or_null()), "%s: H2 region %u, " PTR_FORMAT ": no class", when, index, p2i(p));
      guarantee(r->has_class_loader(obj->klass()->class_loader_data()),
                "%s: H2 region %u, " PTR_FORMAT ": loader of %s not recorded", when, index, p2i(p),
                obj->klass()->external_name());
      const size_t size = obj->size();
      guarantee(p + size <= r->top(), "%s: H2 region %u, " PTR_FORMAT ": object beyond top", when, index, p2i(p));
      for (size_t card = H2StartTable::of_h2().card_index(p + CardTable::card_size_in_words - 1);
           card <= H2StartTable::of_h2().card_index(p + size - 1); card++) {
        guarantee(H2StartTable::of_h2().object_covering(card) == p,
                  "%s: H2 region %u, " PTR_FORMAT ": start table", when, index, p2i(p));
      }
      if (!H2LiveMap::of_h2().is_garbage(r, p)) {
        guarantee(!H2Synchronizers::is_one(obj->klass()) || H2Synchronizers::may_begin_on_card_of(p),
                  "%s: H2 region %u, " PTR_FORMAT ": a thread dump would not see the synchronizer", when, index, p2i(p));
        cl.set_object(obj);
        obj->oop_iterate(&cl);
      }
      p += size;
    }
  });
  guarantee(regions == H2Heap::region_count() - H2Heap::heap().free_count(), "%s: count of free H2 regions", when);
  log_debug(gc, h2, verify)("Verified %u regions, %s", regions, when);
}

void H2Verifier::verify_before(const char* collection) {
  if (VerifyH2) {
    verify(FormatBuffer<64>("before %s collection", collection));
  }
}
