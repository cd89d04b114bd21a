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
#include "gc/terrace/far/farSummary.hpp"

// Writes seven bits per byte, starting with the lowest. The highest bit says that more bytes
// follow.
static void write_number(GrowableArrayCHeap<u1, mtGC>& bytes, size_t value) {
  while (value >= 0x80) {
    bytes.append((u1)(value | 0x80));
    value >>= 7;
  }
  bytes.append((u1)value);
}

// Encodes a signed difference so that small differences of either sign become small numbers.
static size_t difference(size_t value, size_t before) {
  const intptr_t d = (intptr_t)(value - before);
  return (size_t)d << 1 ^ (size_t)(d >> (BitsPerWord - 1));
}

void FarPageSummary::reset(size_t first_target) {
  _first_target = first_target;
  _objects = 0;
  _words = 0;
  _crosses = false;
  _refused = false;
  _loaders.clear();
  _references.clear();
}

void FarPageSummary::add_loader(ClassLoaderData* loader) {
  // Most pages have classes of only one loader.
  if (_loaders.is_empty() || (_loaders.last() != loader && !_loaders.contains(loader))) {
    _loaders.append(loader);
  }
}

void FarPageSummary::write(GrowableArrayCHeap<u1, mtGC>& bytes) const {
  assert(!_refused, "not to be written");
  write_number(bytes, _objects);
  write_number(bytes, _words);
  write_number(bytes, (size_t)_loaders.length());
  write_number(bytes, (size_t)_references.length());
  size_t before = 0;
  for (int i = 0; i < _loaders.length(); i++) {
    write_number(bytes, difference((size_t)_loaders.at(i), before));
    before = (size_t)_loaders.at(i);
  }
  size_t slot = 0;
  size_t target = _first_target;
  for (int i = 0; i < _references.length(); i++) {
    const Reference& reference = _references.at(i);
    write_number(bytes, difference(reference.slot, slot));
    write_number(bytes, difference(reference.target, target));
    slot = reference.slot;
    target = reference.target;
  }
}

FarSummaryReader::FarSummaryReader(const u1* bytes, size_t first_target) : _next(bytes), _slot(0), _target(first_target) {
  _objects = read();
  _words = read();
  _loaders = read();
  _references = read();
}

size_t FarSummaryReader::read() {
  size_t value = 0;
  for (int shift = 0; ; shift += 7) {
    const u1 byte = *_next++;
    value |= (size_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      return value;
    }
  }
}

size_t FarSummaryReader::read_after(size_t before) {
  const size_t d = read();
  return before + (d >> 1 ^ ~(d & 1) + 1);
}

ClassLoaderData* FarSummaryReader::next_loader() {
  if (_loaders == 0) {
    _slot = 0;
    return NULL;
  }
  _loaders--;
  _slot = read_after(_slot);           // not used as a slot until all loaders are read
  return (ClassLoaderData*)_slot;
}

bool FarSummaryReader::next_reference(size_t& slot, size_t& target) {
  assert(_loaders == 0, "loaders come first");
  if (_references == 0) {
    return false;
  }
  _references--;
  slot = _slot = read_after(_slot);
  target = _target = read_after(_target);
  return true;
}

FarRegionSummaries::FarRegionSummaries(size_t pages, uint cycle) :
  _pages(pages), _entries(NEW_C_HEAP_ARRAY(u4, pages, mtGC)), _bytes(NULL), _length(0), _cycle(cycle), _open(false) {
  memset(_entries, 0, pages * sizeof(u4));
  _growing.append(0);                  // an entry of 0 means that there is no summary
}

FarRegionSummaries::~FarRegionSummaries() {
  FREE_C_HEAP_ARRAY(u4, _entries);
  FREE_C_HEAP_ARRAY(u1, _bytes);
}

bool FarRegionSummaries::add(size_t page, const FarPageSummary& summary, size_t limit, size_t& size) {
  assert(_bytes == NULL && page < _pages, "page " SIZE_FORMAT, page);
  const int start = _growing.length();
  summary.write(_growing);
  size = (size_t)(_growing.length() - start);
  if (size > limit) {
    _growing.trunc_to(start);
    return false;
  }
  _entries[page] = (u4)start << 1 | (summary.crosses() ? 1 : 0);
  return true;
}

bool FarRegionSummaries::copy(size_t page, const u1* start, const u1* end, bool crosses, size_t limit) {
  assert(_bytes == NULL && page < _pages, "page " SIZE_FORMAT, page);
  if ((size_t)(end - start) > limit) {
    return false;
  }
  _entries[page] = (u4)_growing.length() << 1 | (crosses ? 1 : 0);
  while (start < end) {
    _growing.append(*start++);
  }
  return true;
}

void FarRegionSummaries::complete() {
  _length = (size_t)_growing.length();
  _bytes = NEW_C_HEAP_ARRAY(u1, _length, mtGC);
  memcpy(_bytes, _growing.adr_at(0), _length);
  _growing.clear_and_deallocate();
}

void FarRegionSummaries::drop_written(size_t page) {
  drop(page);
  if (page > 0 && crosses(page - 1)) {
    drop(page - 1);
  }
}
