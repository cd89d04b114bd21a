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
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/transfer/h2Restless.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"

typedef CardTable::CardValue CardValue;

class H2YoungClosure : public BasicOopIterateClosure {
  bool _found;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    _found = _found || (!CompressedOops::is_null(heap_oop) &&
                        H1Heap::is_in_young(CompressedOops::decode_not_null(heap_oop)));
  }

 public:
  H2YoungClosure() : _found(false) {}

  bool found() const                { return _found; }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

void H2Restless::hold_off(const Klass* k, size_t size) {
  const uintptr_t key = key_of(k, size);
  Entry& entry = _entries[index_of(key)];
  if (entry.key != key) {
    entry.key = key;
    entry.turns = 0;
  } else if (entry.until > _major_collections) {
    return;
  } else {
    entry.turns = MIN2(entry.turns + 1, MaxTurns);
  }
  entry.until = _major_collections + (FirstPause << entry.turns);
  _is_any_held_off = true;
  ResourceMark rm;
  log_debug(gc, h2)("Objects of %s are written in H2: no more of them move without a hint for %u major collections",
                    k->external_name(), FirstPause << entry.turns);
}

// The mutator marks the card where an instance starts, for all of its fields.
void H2Restless::look_at_objects(MemRegion card) {
  const H2Region* const head = H2Heap::head_of(card.start());
  HeapWord* p = H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(card.start()));
  while (p < card.end()) {
    oop obj = cast_to_oop(p);
    const size_t size = obj->size();
    H2YoungClosure cl;
    if (H2LiveMap::of_h2().is_garbage(head, p)) {
      // the program cannot write it
    } else if (obj->is_instance()) {
      if (p >= card.start()) {
        obj->oop_iterate(&cl);
      }
    } else if (!obj->is_typeArray()) {
      obj->oop_iterate(&cl, card);
    }
    if (cl.found()) {
      hold_off(obj->klass(), size);
    }
    p += size;
  }
}

void H2Restless::look_at(H2Region* r) {
  CardTable* const ct = H1Heap::card_table();
  HeapWord* const bottom = H2Heap::bottom_of(r);
  if (r->top() == bottom) {
    return;
  }
  CardValue* const first = ct->byte_for(bottom);
  const size_t count = MIN2(pointer_delta(ct->byte_for(r->top() - 1), first, 1) + 1, CardsOfRegion);
  size_t dirty = 0;
  for (size_t i = 0; i < count; i++) {
    dirty += first[i] == CardTable::dirty_card_val() ? 1 : 0;
  }
  if (dirty <= MAX2(count / FewFraction, Few)) {
    return;
  }
  const size_t step = dirty / ObjectCards + 1;
  size_t seen = 0;
  for (size_t i = 0; i < count; i++) {
    if (first[i] == CardTable::dirty_card_val() && seen++ % step == 0) {
      HeapWord* const start = bottom + i * CardTable::card_size_in_words;
      look_at_objects(MemRegion(start, MIN2(start + CardTable::card_size_in_words, r->top())));
    }
  }
}

void H2Restless::before_scavenge() {
  const uint count = H2Heap::heap().committed_count();
  if (!_is_looking || count == 0) {
    return;
  }
  uint looked_at = 0;
  for (uint i = 0; i < MIN2(count, DescriptorsAtOnce) && looked_at < RegionsAtOnce; i++) {
    _next_region = _next_region + 1 < count ? _next_region + 1 : 0;
    H2Region* const r = H2Heap::region(_next_region);
    if (r->is_head() && r->label() == H2Labels::Structures) {
      look_at(r);
      looked_at++;
    }
  }
}
