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
#include "gc/terrace/h2/base/h2Calls.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"
#include "services/memTracker.hpp"
#include "utilities/bitMap.inline.hpp"


H2Forwarding H2Forwarding::_of_h2;

static char* reserve_and_commit(size_t bytes) {
  bytes = align_up(bytes, os::vm_allocation_granularity());
  char* const p = H2_CALL(reserve, NULL, os::reserve_memory(bytes, false, mtGC));
  return p != NULL && H2_CALL(commit, false, os::commit_memory(p, bytes, false)) ? p : NULL;
}

bool H2Forwarding::initialize(MemRegion h1) {
  _bottom = h1.start();
  _block_count = h1.word_size() / BlockWords;
  _words = (uint64_t*)reserve_and_commit(_block_count * sizeof(_words[0]));
  _base = (uintptr_t*)reserve_and_commit(_block_count * sizeof(_base[0]));
  _group = (uint32_t*)reserve_and_commit(_block_count * sizeof(_group[0]));
  _next = (uint32_t*)reserve_and_commit(_block_count * sizeof(_next[0]));
  return _block_count < UINT32_MAX && _words != NULL && _base != NULL && _group != NULL && _next != NULL && _mixed.initialize(_block_count);
}

// Sets the bits atomically. Returns the previous word.
static uint64_t set_bits(volatile uint64_t* word, uint64_t bits) {
  uint64_t old = Atomic::load(word);
  while ((old & bits) != bits) {
    const uint64_t now = Atomic::cmpxchg(word, old, old | bits);
    if (now == old) {
      break;
    }
    old = now;
  }
  return old;
}

bool H2Forwarding::claim(HeapWord* p, size_t size, uint group, const uint* label_of_group) {
  assert(group < MaxGroups, "must be");
  const size_t begin = pointer_delta(p, _bottom);
  const size_t end = begin + size;
  const size_t first = begin / BlockWords;
  const size_t last = (end - 1) / BlockWords;
  const uint64_t from_begin = ~(uint64_t)0 << (begin % BlockWords);
  const uint64_t to_end = ~(uint64_t)0 >> (BlockWords - 1 - (end - 1) % BlockWords);
  const uint64_t bits = first == last ? from_begin & to_end : from_begin;
  const uint64_t old = set_bits(&_words[first], bits);
  if ((old >> (begin % BlockWords) & 1) != 0) {
    return false;
  }
  if (first != last) {
    // The object covers the blocks between entirely, so no other worker writes them.
    for (size_t b = first + 1; b < last; b++) {
      _words[b] = ~(uint64_t)0;
    }
    set_bits(&_words[last], to_end);
  }
  uint32_t of_block = Atomic::load(&_group[first]);
  if (of_block == 0) {
    of_block = Atomic::cmpxchg(&_group[first], (uint32_t)0, group + 1);
  }
  if (of_block != 0 && of_block != group + 1 && label_of_group[of_block - 1] != label_of_group[group]) {
    _mixed.add(first, bits, group, label_of_group);
  }
  return true;
}

void H2Forwarding::extend(const HeapWord* lowest, const HeapWord* highest) {
  const size_t first = block_of(lowest);
  const size_t last = block_of(highest);
  size_t old;
  while (first < (old = Atomic::load(&_first)) && Atomic::cmpxchg(&_first, old, first) != old) {}
  while (last > (old = Atomic::load(&_last)) && Atomic::cmpxchg(&_last, old, last) != old) {}
}

size_t H2Forwarding::next_used(size_t block, size_t end) const {
  while (block < end && _group[block] == 0) {
    const size_t at_once = sizeof(uint64_t) / sizeof(_group[0]);
    if (is_aligned(block, at_once) && *(uint64_t*)&_group[block] == 0) {
      block += at_once;
    } else {
      block++;
    }
  }
  return MIN2(block, end);
}

uint64_t H2Forwarding::words_of_first(size_t block) const {
  uint64_t words = _words[block];
  _mixed.pieces_do(block, [&](size_t i) { words &= ~_mixed.piece(i).words; });
  return words;
}

uint H2Forwarding::group_of(size_t piece) const {
  const uint32_t group = is_first(piece) ? _group[piece] : other(piece).group + 1;
  return group == 0 ? MaxGroups : group - 1u;
}

size_t H2Forwarding::block_of_piece(size_t piece) const {
  return is_first(piece) ? piece : other(piece).block;
}

uint H2Forwarding::group_of_object(const HeapWord* p) const {
  uint64_t others;
  const H2MixedBlocks::Piece* const piece = _mixed.piece_with(block_of(p), bit_of(p), &others);
  return piece != NULL ? piece->group : group_of(block_of(p));
}

void H2Forwarding::set_destination(size_t piece, HeapWord* to) {
  if (!is_first(piece)) {
    other(piece).value = (uintptr_t)to;
    return;
  }
  // These words belong to an object from an earlier block.
  const size_t before = population_count(words_of_first(piece) & (bit_of(measured_first(piece)) - 1));
  _base[piece] = (uintptr_t)(to - before) | (_mixed.is_mixed(piece) ? 1 : 0);
}

HeapWord* H2Forwarding::destination_in_mixed(const HeapWord* p) const {
  const size_t block = block_of(p);
  const uint64_t before = bit_of(p) - 1;
  uint64_t others;
  const H2MixedBlocks::Piece* const piece = _mixed.piece_with(block, bit_of(p), &others);
  if (piece != NULL) {
    return (HeapWord*)piece->value + population_count(piece->words & before);
  }
  return (HeapWord*)(_base[block] - 1) + population_count(_words[block] & ~others & before);
}

void H2Forwarding::set_next(size_t piece, size_t next) {
  (is_first(piece) ? _next[piece] : other(piece).next_in_order) = (uint32_t)(next + 1);
}

void H2Forwarding::sort(const uint* position, uint group_count) {
  struct List {
    size_t first;
    size_t last;
  };
  List* const lists = NEW_RESOURCE_ARRAY(List, group_count);
  for (uint i = 0; i < group_count; i++) {
    lists[i].first = NoPiece;
  }
  const size_t end = _last + 1;
  for (size_t block = next_used(_first, end); block < end; block = next_used(block + 1, end)) {
    pieces_do(block, [&](size_t piece) {
      List& list = lists[position[group_of(piece)]];
      if (list.first == NoPiece) {
        list.first = piece;
      } else {
        set_next(list.last, piece);
      }
      list.last = piece;
    });
  }
  size_t last = NoPiece;
  for (uint i = 0; i < group_count; i++) {
    if (lists[i].first == NoPiece) {
      continue;
    }
    if (last == NoPiece) {
      _first_piece = lists[i].first;
    } else {
      set_next(last, lists[i].first);
    }
    last = lists[i].last;
  }
  if (last != NoPiece) {
    set_next(last, NoPiece);
  }
}

void H2Forwarding::publish() {
  if (!is_empty()) {
    H2Range::set_moving(block_start(_first), (_last - _first + 1) * BlockWords * HeapWordSize);
  }
}

void H2Forwarding::clear() {
  H2Range::clear_moving();
  if (!is_empty()) {
    const size_t count = _last - _first + 1;
    H2Memory::zero((char*)&_words[_first], count * sizeof(_words[0]));
    H2Memory::zero((char*)&_base[_first], count * sizeof(_base[0]));
    H2Memory::zero((char*)&_group[_first], count * sizeof(_group[0]));
    H2Memory::zero((char*)&_next[_first], count * sizeof(_next[0]));
    _mixed.clear(_first, _last);
    _first_piece = NoPiece;
    _first = SIZE_MAX;
    _last = 0;
  }
}
