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
#include "gc/terrace/far/farBits.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"
#include "utilities/bitMap.inline.hpp"

size_t FarBits::_all = 0;

size_t FarBits::table_size() const {
  return align_up(size_in_bytes(), (size_t)os::vm_allocation_granularity());
}

bool FarBits::allocate(idx_t count) {
  update(NULL, count);
  char* const table = reserve_and_commit(table_size());
  if (table == NULL) {
    update(NULL, 0);
    return false;
  }
  update((bm_word_t*)table, count);
  _all += table_size();
  return true;
}

void FarBits::clear_all() {
  if (!discard((char*)map(), table_size())) {
    clear_large();
  }
}

bool FarBits::par_set_of_pair(idx_t bit) {
  volatile bm_word_t* const word = word_addr(bit);
  const bm_word_t wanted = bit_mask(bit);
  const bm_word_t pair = bit_mask(bit) | bit_mask(bit ^ 1);
  bm_word_t old = Atomic::load(word);
  while ((old & pair) == 0) {
    const bm_word_t seen = Atomic::cmpxchg(word, old, old | wanted);
    if (seen == old) {
      return true;
    }
    old = seen;
  }
  return false;
}

void FarBits::free() {
  _all -= table_size();
  release((char*)map(), table_size());
  update(NULL, 0);
}
