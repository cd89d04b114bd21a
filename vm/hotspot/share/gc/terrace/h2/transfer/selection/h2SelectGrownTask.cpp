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
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/transfer/selection/h2Rest.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectClosure.inline.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectGrownTask.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "runtime/atomic.hpp"

bool H2GrownRegions::is_wanted(jlong label) const {
  return _is_rest ? H2Rest::is_due(label) : !H2Labels::is_unhinted(label);
}

void H2GrownRegions::find(bool is_rest) {
  _is_rest = is_rest;
  _regions.clear();
  H2Heap::heap().heads_do([&](H2Region* r) {
    if (!r->is_evacuated() && (r->is_shared() || is_wanted(r->label()))) {
      _regions.append(r);
    }
  });
}

// Selects the H1 objects to which slots of H2 refer.
class H2GrownClosure : public BasicOopIterateClosure {
  H2SelectClosure&      _select;
  const H2GrownRegions& _grown;
  H2SelectGroups&       _groups;
  const H2Region*       _region;
  // The label of the last slot, and its group. Adjacent slots usually have the same label.
  jlong                 _label;
  bool                  _is_wanted;
  uint                  _group;

  void set_label(jlong label) {
    _label = label;
    _is_wanted = _grown.is_wanted(label);
    if (_is_wanted) {
      _group = _groups.without_root(label);
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
      guarantee(!VerifyH2 || H2Forwarding::of_h2().is_marked(obj), "a slot of H2 refers to " PTR_FORMAT
                ", which is dead", p2i(obj));
      if (begin(p)) {
        _select.add(obj, _group);
      }
    }
  }

 public:
  H2GrownClosure(H2SelectClosure& select, const H2GrownRegions& grown, H2SelectGroups& groups, const H2Region* region) :
    _select(select), _grown(grown), _groups(groups), _region(region), _label(0), _is_wanted(false), _group(0) {
    set_label(H2LabelSpans::label_at(region, H2Heap::bottom_of(region)));
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Returns the next region, or -1.
int H2SelectGrownTask::claim() {
  const int i = !_selection.is_at_limit() ? Atomic::fetch_and_add(&_claimed, 1) : -1;
  return i < _grown.count() ? i : -1;
}

void H2SelectGrownTask::select(H2SelectClosure& cl) {
  int i;
  while ((i = claim()) >= 0) {
    H2Region* const region = _grown.at(i);
    H2GrownClosure slots(cl, _grown, _groups, region);
    H2Cards::of_h2().slots_to_h1_do(region, &slots);
    cl.drain();
  }
}
