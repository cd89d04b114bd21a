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
#include "classfile/vmClasses.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.hpp"
#include "oops/klass.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "utilities/bitMap.inline.hpp"

BitMap::bm_word_t* volatile* H2Synchronizers::_cards = NULL;

void H2Synchronizers::initialize(uint region_count) {
  _cards = NEW_C_HEAP_ARRAY(BitMap::bm_word_t* volatile, region_count, mtGC);
  memset((void*)_cards, 0, region_count * sizeof(*_cards));
}

BitMap::idx_t H2Synchronizers::cards_per_region() {
  return H2Heap::region_words() / CardTable::card_size_in_words;
}

bool H2Synchronizers::is_one(const Klass* k) {
  return k->is_subclass_of(vmClasses::java_util_concurrent_locks_AbstractOwnableSynchronizer_klass());
}

BitMap::bm_word_t* H2Synchronizers::make_cards(uint index) {
  const size_t words = BitMap::calc_size_in_words(cards_per_region());
  BitMap::bm_word_t* const fresh = NEW_C_HEAP_ARRAY(BitMap::bm_word_t, words, mtGC);
  memset(fresh, 0, words * sizeof(BitMap::bm_word_t));
  BitMap::bm_word_t* const before = Atomic::cmpxchg(&_cards[index], (BitMap::bm_word_t*)NULL, fresh);
  if (before != NULL) {
    FREE_C_HEAP_ARRAY(BitMap::bm_word_t, fresh);
    return before;
  }
  return fresh;
}

static BitMap::idx_t card_in_region(const HeapWord* p) {
  return (pointer_delta(p, H2Heap::bottom()) & (H2Heap::region_words() - 1)) / CardTable::card_size_in_words;
}

void H2Synchronizers::add(const HeapWord* obj) {
  const uint index = H2Heap::index_of(obj);
  BitMap::bm_word_t* words = Atomic::load_acquire(&_cards[index]);
  if (words == NULL) {
    words = make_cards(index);
  }
  BitMapView(words, cards_per_region()).par_set_bit(card_in_region(obj));
}

void H2Synchronizers::closed(uint index) {
  FREE_C_HEAP_ARRAY(BitMap::bm_word_t, (BitMap::bm_word_t*)_cards[index]);
  _cards[index] = NULL;
}

bool H2Synchronizers::may_begin_on_card_of(const HeapWord* obj) {
  BitMap::bm_word_t* const words = _cards[H2Heap::index_of(obj)];
  return words != NULL && BitMapView(words, cards_per_region()).at(card_in_region(obj));
}

// Applies cl to the synchronizers that begin on a card. Returns the number of objects scanned.
static size_t synchronizers_do(const H2Region* head, HeapWord* card, HeapWord* end, ObjectClosure* cl) {
  size_t looked_at = 0;
  HeapWord* p = H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(card));
  while (p < end) {
    oop obj = cast_to_oop(p);
    if (p >= card && H2Synchronizers::is_one(obj->klass()) && !H2LiveMap::of_h2().is_garbage(head, p)) {
      cl->do_object(obj);
    }
    p += obj->size();
    looked_at++;
  }
  return looked_at;
}

void H2Synchronizers::maybe_owned_do(ObjectClosure* cl) {
  CardTable* const ct = H1Heap::card_table();
  size_t known = 0;
  size_t cards = 0;
  size_t objects = 0;
  for (uint i = 0; i < H2Heap::heap().committed_count(); i++) {
    if (_cards[i] == NULL) {
      continue;
    }
    const H2Region* const head = H2Heap::head_of_run(H2Heap::region(i));
    const MemRegion used = H2Heap::used_part(H2Heap::region(i));
    const BitMapView bits(_cards[i], cards_per_region());
    for (BitMap::idx_t bit = bits.get_next_one_offset(0); bit < bits.size(); bit = bits.get_next_one_offset(bit + 1)) {
      HeapWord* const card = used.start() + bit * CardTable::card_size_in_words;
      if (card >= used.end()) {
        break;                          // left by an abandoned transfer
      }
      known++;
      // The field for the owner may lie on the next card.
      HeapWord* const end = MIN2(card + CardTable::card_size_in_words, used.end());
      if (*ct->byte_for(card) != H2Card::Clean || (end < used.end() && *ct->byte_for(end) != H2Card::Clean)) {
        objects += synchronizers_do(head, card, end, cl);
        cards++;
      }
    }
  }
  log_debug(gc, h2)("Thread dump: ownable synchronizers begin on " SIZE_FORMAT " cards of H2, scanned " SIZE_FORMAT
                    " objects on " SIZE_FORMAT " of them", known, objects, cards);
}

bool H2Synchronizers::find(const Klass* k, ObjectClosure* cl) {
  if (k != vmClasses::java_util_concurrent_locks_AbstractOwnableSynchronizer_klass()) {
    return false;
  }
  H1Heap::objects_do(cl);
  maybe_owned_do(cl);
  return true;
}
