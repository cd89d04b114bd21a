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
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/transfer/h2MixedBlocks.hpp"
#include "gc/terrace/terraceMemory.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "services/memTracker.hpp"

size_t H2MixedBlocks::max_count(size_t block_count) {
  assert(block_count < UINT32_MAX, "must be");
  const size_t numbers = align_down(UINT32_MAX - 1 - block_count, CommittedAtOnce);
  return MIN2(align_up(block_count * PiecesPerBlock, CommittedAtOnce), numbers);
}

bool H2MixedBlocks::initialize(size_t block_count) {
  _lock = new Mutex(Mutex::leaf, "H2MixedBlocks_lock", true, Mutex::_safepoint_check_never);
  _max = max_count(block_count);
  const size_t bytes = align_up(block_count * sizeof(_first[0]), os::vm_allocation_granularity());
  _first = (volatile uint32_t*)H2_CALL(reserve, NULL, os::reserve_memory(bytes, false, mtGC));
  if (_first == NULL || !H2_CALL(commit, false, os::commit_memory((char*)_first, bytes, false))) {
    return false;
  }
  if (_max == 0) {
    return true;
  }
  _pieces = (Piece*)H2_CALL(reserve, NULL, os::reserve_memory(_max * sizeof(Piece), false, mtGC));
  // The first part needs a mapping of its own, and later ones extend it.
  return _pieces != NULL && commit(1);
}

// Returns whether there is space for so many pieces.
bool H2MixedBlocks::commit(size_t count) {
  if (count <= Atomic::load_acquire(&_committed)) {
    return true;
  }
  if (count > _max) {
    return false;
  }
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  while (count > _committed) {
    if (!H2_CALL(commit, false, TerraceMemory::commit((char*)&_pieces[_committed], CommittedAtOnce * sizeof(Piece)))) {
      log_debug(gc, h2)("No memory for more than " SIZE_FORMAT " pieces of blocks with several labels", _committed);
      _count = _max;                    // this selection does not try again
      return false;
    }
    Atomic::release_store(&_committed, _committed + CommittedAtOnce);
  }
  return true;
}

// Returns the piece of the label in the list from first to before end, or NULL.
H2MixedBlocks::Piece* H2MixedBlocks::find(uint32_t first, uint32_t end, uint label, const uint* label_of_group) const {
  for (uint32_t i = first; i != end; i = _pieces[i - 1].next_in_block) {
    if (label_of_group[_pieces[i - 1].group] == label) {
      return &_pieces[i - 1];
    }
  }
  return NULL;
}

static void add_words(H2MixedBlocks::Piece* piece, uint64_t words) {
  uint64_t old = piece->words;
  uint64_t seen;
  while ((seen = Atomic::cmpxchg(&piece->words, old, old | words)) != old) {
    old = seen;
  }
}

bool H2MixedBlocks::add(size_t block, uint64_t words, uint group, const uint* label_of_group) {
  const uint label = label_of_group[group];
  uint32_t first = Atomic::load_acquire(&_first[block]);
  Piece* piece = find(first, 0, label, label_of_group);
  if (piece != NULL) {
    add_words(piece, words);
    return true;
  }
  const size_t i = Atomic::load(&_count) < _max ? Atomic::fetch_and_add(&_count, (size_t)1) : _max;
  if (!commit(i + 1)) {
    return false;
  }
  Piece* const fresh = &_pieces[i];
  fresh->words = words;
  fresh->block = (uint32_t)block;
  fresh->group = group;
  while (true) {
    fresh->next_in_block = first;
    const uint32_t now = Atomic::cmpxchg(&_first[block], first, (uint32_t)i + 1);
    if (now == first) {
      return true;
    }
    // Another worker added pieces, perhaps for this label. Then the fresh piece remains unused.
    piece = find(now, first, label, label_of_group);
    if (piece != NULL) {
      add_words(piece, words);
      return true;
    }
    first = now;
  }
}

void H2MixedBlocks::clear(size_t first_block, size_t last_block) {
  if (_count != 0) {
    H2Memory::zero((char*)&_first[first_block], (last_block - first_block + 1) * sizeof(_first[0]));
    H2Memory::zero((char*)_pieces, count() * sizeof(Piece));
    _count = 0;
  }
}
