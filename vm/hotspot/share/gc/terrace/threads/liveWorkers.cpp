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
#include "gc/terrace/threads/liveWorkers.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/atomic.hpp"
#include "utilities/count_trailing_zeros.hpp"
#include "utilities/population_count.hpp"

LiveWorkers::LiveWorkers(uint max_workers) :
  _words((max_workers + WordBits - 1) / WordBits), _bits(NEW_C_HEAP_ARRAY(uintx, _words, mtGC)), _count(0) {
  reset(0);
}

LiveWorkers::~LiveWorkers() {
  FREE_C_HEAP_ARRAY(uintx, _bits);
}

void LiveWorkers::reset(uint count) {
  for (uint i = 0; i < _words; i++) {
    const uint first = i * WordBits;
    _bits[i] = count >= first + WordBits ? ~(uintx)0 : count > first ? bit(count) - 1 : 0;
  }
  _count = (int)count;
}

void LiveWorkers::leave(uint worker) {
  assert(contains(worker), "worker %u has left", worker);
  Atomic::sub(&_bits[worker / WordBits], bit(worker));
  Atomic::dec(&_count);
}

void LiveWorkers::join(uint worker) {
  assert(!contains(worker), "worker %u is live", worker);
  Atomic::add(&_bits[worker / WordBits], bit(worker));
  Atomic::inc(&_count);
}

bool LiveWorkers::contains(uint worker) const {
  return worker / WordBits < _words && (Atomic::load(&_bits[worker / WordBits]) & bit(worker)) != 0;
}

uint LiveWorkers::count() const {
  return (uint)MAX2(0, Atomic::load(&_count));
}

static uint set_bit_at(uintx bits, uint n) {
  for (; n > 0; n--) {
    bits &= bits - 1;
  }
  return (uint)count_trailing_zeros(bits);
}

// Fair among the workers of a word. The word is chosen at random, and followed by the next one if it is empty.
uint LiveWorkers::pick(uint random, uint limit, uint except, uint except_too) const {
  const uint words = MIN2(_words, (limit + WordBits - 1) / WordBits);
  const uint first = words > 1 ? (random >> 16) % words : 0;
  for (uint i = 0; i < words; i++) {
    const uint word = (first + i) % words;
    uintx bits = Atomic::load(&_bits[word]);
    if (except / WordBits == word) {
      bits &= ~bit(except);
    }
    if (except_too / WordBits == word) {
      bits &= ~bit(except_too);
    }
    if (limit < (word + 1) * WordBits) {
      bits &= bit(limit) - 1;
    }
    if (bits != 0) {
      return word * WordBits + set_bit_at(bits, random % population_count(bits));
    }
  }
  return limit;
}
