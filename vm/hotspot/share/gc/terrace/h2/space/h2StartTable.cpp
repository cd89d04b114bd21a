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
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/terraceMemory.hpp"
#include "runtime/os.hpp"


H2StartTable H2StartTable::_of_h2;

bool H2StartTable::initialize(HeapWord* bottom, size_t word_size) {
  const size_t bytes = align_up(word_size / WordsPerCard, os::vm_allocation_granularity());
  _bottom = bottom;
  _table = (uint8_t*)H2_CALL(reserve, NULL, os::reserve_memory(bytes, false, mtGC));
  return _table != NULL;
}

bool H2StartTable::commit(HeapWord* start, size_t word_size) {
  return H2_CALL(commit, false, TerraceMemory::commit((char*)_table + card_index(start), word_size / WordsPerCard));
}
