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
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/transfer/h2Quiet.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/java.hpp"
#include "utilities/bitMap.inline.hpp"

typedef CardTable::CardValue CardValue;

void H2Quiet::initialize(MemRegion h1) {
  const size_t bits = align_up(h1.word_size() / CardTable::card_size_in_words + 1, (size_t)BitsPerWord);
  BitMap::bm_word_t* const map = MmapArrayAllocator<BitMap::bm_word_t>::allocate_or_null(bits / BitsPerWord, mtGC);
  if (map == NULL) {
    vm_exit_during_initialization("H2MoveUnhinted: no memory for a bit per card of the heap; choose a smaller -Xmx, "
                                  "or -XX:-H2MoveUnhinted");
  }
  _written = BitMapView(map, bits);
  _bottom = h1.start();
  _end_of_written = h1.start();
}

size_t H2Quiet::bit_of(const HeapWord* p) const {
  return pointer_delta(p, _bottom) / CardTable::card_size_in_words;
}

// Records the dirty cards of the old generation.
class H2LookTask : public AbstractGangTask {
  static const size_t StripeCards = 64 * K;   // whole words of the bitmap, so that one worker writes to each word

  BitMapView&      _written;
  const size_t     _first_bit;
  CardValue* const _first;
  const size_t     _card_count;
  volatile size_t  _claimed;

 public:
  H2LookTask(BitMapView& written, size_t first_bit, CardValue* first, size_t card_count) :
    AbstractGangTask("H2 Scan Cards"), _written(written), _first_bit(first_bit), _first(first), _card_count(card_count),
    _claimed(0) {
    assert(is_aligned(first_bit, (size_t)BitsPerWord), "workers must not share a word");
  }

  virtual void work(uint worker_id) {
    size_t begin;
    while ((begin = Atomic::fetch_and_add(&_claimed, StripeCards)) < _card_count) {
      const size_t end = MIN2(begin + StripeCards, _card_count);
      H2Card::unclean_do(_first + begin, _first + end, [&](CardValue* card) {
        if (*card == CardTable::dirty_card_val()) {
          _written.set_bit(_first_bit + pointer_delta(card, _first, 1));
        }
      });
    }
  }
};

void H2Quiet::look() {
  const H1Heap::Space old = H1Heap::old_space();
  if (old.top > old.bottom) {
    CardValue* const first = H1Heap::card_table()->byte_for(old.bottom);
    CardValue* const last = H1Heap::card_table()->byte_for(old.top - 1);
    H2LookTask task(_written, bit_of(old.bottom), first, pointer_delta(last, first, 1) + 1);
    H1Heap::workers()->run_task(&task);
    _end_of_written = MAX2(_end_of_written, old.top);
  }
  _has_seen = true;
}

void H2Quiet::before_scavenge() {
  if (!_is_watching) {
    return;
  }
  if (_do_cards_tell) {
    look();
  }
  _do_cards_tell = true;
}

void H2Quiet::begin_selection(bool is_of_interest) {
  if (_is_watching && _do_cards_tell) {
    look();
  }
  _is_watching = is_of_interest;
}

void H2Quiet::end_major_collection(bool is_young_empty) {
  _do_cards_tell = is_young_empty;
  _has_seen = false;
  if (_end_of_written > _bottom) {
    _written.clear_large_range(0, bit_of(_end_of_written - 1) + 1);
    _end_of_written = _bottom;
  }
}

bool H2Quiet::is_quiet(const HeapWord* p, size_t size) const {
  const size_t first = bit_of(p);
  const size_t end = bit_of(p + size - 1) + 1;
  return _written.get_next_one_offset(first, end) == end;
}
