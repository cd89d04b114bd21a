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
#include "gc/terrace/h2/collector/h1Marks.inline.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarksVerifier.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"

// Verifies the references of one marked object.
class H2VerifyMarksClosure : public BasicOopIterateClosure {
  const H2MarkingRuns& _runs;
  const uint           _head_index;
  oop                  _object;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    const bool is_in_h2 = H2Range::contains(target);
    const bool is_alive = is_in_h2 ? _runs.is_marked(cast_from_oop<void*>(target))
                                   : H1Marks::is_marked(target);
    guarantee(is_alive, "marked H2 object " PTR_FORMAT " (%s) in region %u, slot " PTR_FORMAT " -> " PTR_FORMAT ": not marked",
              p2i(_object), _object->klass()->external_name(), _head_index, p2i(p), p2i(target));
    guarantee(!is_in_h2 || H2Heap::head_index_of(target) == _head_index ||
              H2Dependencies::of_h2().contains(_head_index, H2Heap::head_index_of(target)),
              "marked H2 object " PTR_FORMAT " (%s) in region %u, slot " PTR_FORMAT " -> " PTR_FORMAT ": no dependency",
              p2i(_object), _object->klass()->external_name(), _head_index, p2i(p), p2i(target));
  }

 public:
  H2VerifyMarksClosure(H2Region* head, const H2MarkingRuns& runs) :
    _runs(runs), _head_index(H2Heap::index_of_region(head)), _object(NULL) {}

  void set_object(oop obj)          { _object = obj; }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

void H2MarksVerifier::verify(const H2MarkingRuns& runs) {
  ResourceMark rm;
  H2Heap::heap().heads_do([&](H2Region* r) {
    const uint index = H2Heap::index_of_region(r);
    H2VerifyMarksClosure cl(r, runs);
    size_t words = 0;
    size_t size;
    for (HeapWord* p = H2Heap::bottom_of(r); p < r->top(); p += size) {
      oop obj = cast_to_oop(p);
      size = obj->size();
      if (runs.is_marked(p)) {
        words += size;
        guarantee(r->has_class_loader(obj->klass()->class_loader_data()),
                  "marked H2 object " PTR_FORMAT " (%s) in region %u: its loader is not recorded", p2i(p),
                  obj->klass()->external_name(), index);
        cl.set_object(obj);
        obj->oop_iterate(&cl);
      }
    }
    guarantee(words == runs.reachable_words(index), "H2 region %u: " SIZE_FORMAT " words are marked, " SIZE_FORMAT " counted",
              index, words, runs.reachable_words(index));
    r->class_loaders_do([](ClassLoaderData* cld) {
      guarantee(cld->holder_no_keepalive() == NULL || H1Marks::is_marked(cld->holder_no_keepalive()),
                "a class loader of H2 is not marked");
    });
  });
  log_debug(gc, h2, verify)("Verified the marks in H2");
}
