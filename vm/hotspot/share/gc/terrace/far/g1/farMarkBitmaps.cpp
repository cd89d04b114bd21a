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
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.inline.hpp"
#include "gc/shared/suspendibleThreadSet.hpp"
#include "gc/terrace/far/farBits.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/g1/farMarkBitmaps.hpp"
#include "runtime/os.hpp"

const G1CMBitMap* FarMarkBitmaps::_first = NULL;
MemRegion         FarMarkBitmaps::_memory[2];

void FarMarkBitmaps::initialize(G1ConcurrentMark* cm, MemRegion first, MemRegion second) {
  _first = cm->prev_mark_bitmap();
  _memory[0] = first;
  _memory[1] = second;
}

// Clears the bitmap in pieces. A full collection aborts the cycle and then marks in the same bitmap
// during a pause, so check for that before each piece.
bool FarMarkBitmaps::discards(const G1CMBitMap* bitmap, G1ConcurrentMark* cm) {
  static const size_t Piece = 4 * M;
  const MemRegion memory = _memory[bitmap == _first ? 0 : 1];
  if (!FarPages::is_process_swapped()) {
    return false;
  }
  for (size_t done = 0; done < memory.byte_size(); done += Piece) {
    SuspendibleThreadSetJoiner no_pause;
    if (cm->has_aborted()) {
      return true;
    }
    if (!FarBits::discard((char*)memory.start() + done, MIN2(Piece, memory.byte_size() - done))) {
      return false;
    }
  }
  return true;
}

size_t FarMarkBitmaps::bytes_per_page() {
  return os::vm_page_size() * G1CMBitMap::heap_map_factor();
}

MemRegion FarMarkBitmaps::pages_of(MemRegion part) {
  // A pause can happen while far memory turns itself on, so the caller has no G1ConcurrentMark.
  const G1CMBitMap* const bitmap = G1CollectedHeap::heap()->concurrent_mark()->prev_mark_bitmap();
  HeapWord* const memory = _memory[bitmap == _first ? 0 : 1].start();
  const size_t words_per_page = os::vm_page_size() / HeapWordSize;
  const size_t heap_per_page = bytes_per_page() / HeapWordSize;
  const size_t first = pointer_delta(part.start(), FarPages::bottom_of(0)) / heap_per_page;
  const size_t last = pointer_delta(part.last(), FarPages::bottom_of(0)) / heap_per_page;
  return MemRegion(memory + first * words_per_page, memory + (last + 1) * words_per_page);
}
