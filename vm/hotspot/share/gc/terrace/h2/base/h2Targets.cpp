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
#include "gc/terrace/h2/base/h2Targets.hpp"
#include "memory/allocation.inline.hpp"

int H2Targets::find(oop obj) const {
  int i = hash(obj);
  while (_table[i] != 0 && _list.at(_table[i] - 1) != obj) {
    i = (i + 1) % TableLength;
  }
  return i;
}

void H2Targets::enter(int index) {
  _table[find(_list.at(index))] = checked_cast<uint16_t>(index + 1);
}

bool H2Targets::add(oop obj) {
  if (contains(obj)) {
    return true;
  }
  if (_list.length() == Capacity) {
    return false;
  }
  _list.append(obj);
  _collection = 0;
  if (_table != NULL) {
    enter(_list.length() - 1);
  } else if (_list.length() > ManyCount) {
    _table = NEW_C_HEAP_ARRAY(uint16_t, TableLength, mtGC);
    memset(_table, 0, TableLength * sizeof(uint16_t));
    for (int i = 0; i < _list.length(); i++) {
      enter(i);
    }
  }
  return true;
}

// Clears table entries in the reverse order of insertion, so that the probes of remaining objects
// stay contiguous.
void H2Targets::truncate(int count) {
  if (count <= ManyCount) {
    FREE_C_HEAP_ARRAY(uint16_t, _table);
    _table = NULL;
  }
  for (int i = _list.length() - 1; _table != NULL && i >= count; i--) {
    _table[find(_list.at(i))] = 0;
  }
  if (count < _list.length()) {
    _collection = 0;
    _list.trunc_to(count);
  }
}
