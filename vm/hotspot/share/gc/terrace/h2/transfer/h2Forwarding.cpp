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
#include "gc/terrace/h2/transfer/h2Forwarding.hpp"
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
  _base = (HeapWord**)reserve_and_commit(_block_count * sizeof(_base[0]));
  _group = (uint32_t*)reserve_and_commit(_block_count * sizeof(_group[0]));
  _order = (uint32_t*)reserve_and_commit(_block_count * sizeof(_order[0]));
  return _block_count <= UINT32_MAX && _words != NULL && _base != NULL && _group != NULL && _order != NULL;
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

bool H2Forwarding::claim(HeapWord* p, size_t size, uint group) {
  assert(group < MaxGroups, "must be");
  const size_t begin = pointer_delta(p, _bottom);
  const size_t end = begin + size;
  const size_t first = begin / BlockWords;
  const size_t last = (end - 1) / BlockWords;
  const uint64_t from_begin = ~(uint64_t)0 << (begin % BlockWords);
  const uint64_t to_end = ~(uint64_t)0 >> (BlockWords - 1 - (end - 1) % BlockWords);
  const uint64_t old = set_bits(&_words[first], first == last ? from_begin & to_end : from_begin);
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
  // If two workers race, the group of either is right, and it stays.
  if (Atomic::load(&_group[first]) == 0) {
    Atomic::cmpxchg(&_group[first], (uint32_t)0, group + 1);
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

size_t H2Forwarding::moving_words_in(const HeapWord* begin, const HeapWord* end) const {
  return words().count_one_bits(pointer_delta(begin, _bottom), pointer_delta(end, _bottom));
}

void H2Forwarding::set_destination(HeapWord* first_in_block, HeapWord* to) {
  _base[block_of(first_in_block)] = to - moving_words_before(first_in_block);
}

void H2Forwarding::sort(const uint* position, uint group_count) {
  size_t* const next = NEW_RESOURCE_ARRAY(size_t, group_count + 1);
  memset(next, 0, (group_count + 1) * sizeof(next[0]));
  const size_t end = _last + 1;
  for (size_t block = next_used(_first, end); block < end; block = next_used(block + 1, end)) {
    next[position[group_of(block)] + 1]++;
  }
  for (uint i = 0; i < group_count; i++) {
    next[i + 1] += next[i];
  }
  _ordered = next[group_count];
  for (size_t block = next_used(_first, end); block < end; block = next_used(block + 1, end)) {
    _order[next[position[group_of(block)]]++] = (uint32_t)block;
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
    H2Memory::zero((char*)_order, _ordered * sizeof(_order[0]));
    _ordered = 0;
    _first = SIZE_MAX;
    _last = 0;
  }
}
