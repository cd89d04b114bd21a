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
#include "gc/terrace/far/farDeferred.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "utilities/bitMap.inline.hpp"

FarBits         FarDeferred::_objects;
FarBits         FarDeferred::_pages;
volatile size_t FarDeferred::_page_count = 0;

bool FarDeferred::allocate() {
  const size_t objects = FarPages::bit_of(FarPages::bottom_of(FarPages::count()));
  return _objects.allocate(objects) && _pages.allocate(FarPages::count());
}

bool FarDeferred::add(const void* obj) {
  const bool is_new = _objects.par_set_bit(FarPages::bit_of(obj));
  add_page(FarPages::page_of(obj));
  return is_new;
}

bool FarDeferred::take(const void* obj) {
  return _objects.par_clear_bit(FarPages::bit_of(obj));
}

HeapWord* FarDeferred::next(HeapWord* from, HeapWord* limit) {
  return FarPages::object_at(_objects.get_next_one_offset(FarPages::bit_of(from), FarPages::bit_of(limit)));
}

void FarDeferred::add_page(size_t page) {
  if (!_pages.at(page) && _pages.par_set_bit(page)) {
    Atomic::inc(&_page_count);
  }
}

bool FarDeferred::take_page(size_t page) {
  if (!_pages.par_clear_bit(page)) {
    return false;
  }
  Atomic::dec(&_page_count);
  return true;
}

size_t FarDeferred::next_page(size_t from, size_t limit) {
  return _pages.get_next_one_offset(from, limit);
}

size_t FarDeferred::next_page(size_t from) {
  return _pages.get_next_one_offset(from);
}

bool FarDeferred::is_empty() {
  return _pages.is_empty() && _objects.is_empty();
}

void FarDeferred::drop_all() {
  _objects.clear_all();
  _pages.clear();
  _page_count = 0;
}
