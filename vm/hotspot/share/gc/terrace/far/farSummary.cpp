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
#include "memory/resourceArea.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/quickSort.hpp"

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
  _starts.clear();
  _references.clear();
  _referents.clear();
}

void FarPageSummary::add_loader(ClassLoaderData* loader) {
  // Most pages have classes of only one loader.
  if (_loaders.is_empty() || (_loaders.last() != loader && !_loaders.contains(loader))) {
    _loaders.append(loader);
  }
}

void FarPageSummary::write_head(GrowableArrayCHeap<u1, mtGC>& bytes, size_t references, bool has_pages) const {
  assert(!_refused, "not to be written");
  assert(_starts.is_empty() || (size_t)_starts.length() == _objects, "starts of some objects");
  write_number(bytes, _objects);
  write_number(bytes, _words);
  write_number(bytes, (size_t)_loaders.length() << 2 | (_starts.is_empty() ? 0 : 2) | (_referents.is_empty() ? 0 : 1));
  write_number(bytes, references << 1 | (has_pages ? 1 : 0));
  size_t before = 0;
  for (int i = 0; i < _loaders.length(); i++) {
    write_number(bytes, difference((size_t)_loaders.at(i), before));
    before = (size_t)_loaders.at(i);
  }
  before = _first_target;
  for (int i = 0; i < _starts.length(); i++) {
    write_number(bytes, _starts.at(i) - before);
    before = _starts.at(i);
  }
}

// Writes the references that are not left out.
template <typename Array, typename Filter>
static void write_references(GrowableArrayCHeap<u1, mtGC>& bytes, const Array& references, size_t target, Filter is_left_out) {
  size_t slot = 0;
  for (int i = 0; i < references.length(); i++) {
    if (!is_left_out(i)) {
      write_number(bytes, difference(references.at(i).slot, slot));
      write_number(bytes, difference(references.at(i).target, target));
      slot = references.at(i).slot;
      target = references.at(i).target;
    }
  }
}

void FarPageSummary::write(GrowableArrayCHeap<u1, mtGC>& bytes) const {
  write_head(bytes, (size_t)_references.length(), false);
  write_references(bytes, _references, _first_target, [](int i) { return false; });
  if (!_referents.is_empty()) {
    write_number(bytes, (size_t)_referents.length() << 1);
    write_references(bytes, _referents, _first_target, [](int i) { return false; });
  }
}

int FarPageSummary::compare(const Reference& a, const Reference& b) {
  return a.target < b.target ? -1 : a.target > b.target ? 1 : 0;
}

// Writes the pages of the sorted targets from first to end. page is the page after the last one
// written.
void FarPageSummary::write_runs(GrowableArrayCHeap<u1, mtGC>& bytes, int first, int end, size_t& page, int log_page) const {
  for (int i = first; i < end; ) {
    const size_t start = _paged.at(i).target >> log_page;
    size_t limit = start + 1;
    for (i++; i < end && _paged.at(i).target >> log_page <= limit; i++) {
      limit = (_paged.at(i).target >> log_page) + 1;
    }
    write_number(bytes, (start - page) << 1 | (limit - start > 1 ? 1 : 0));
    if (limit - start > 1) {
      write_number(bytes, limit - start - 2);
    }
    page = limit;
  }
}

static int compare_numbers(const size_t& a, const size_t& b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Sorts the targets of the referents, shifted to the right.
void FarPageSummary::sort_referents(int shift) {
  _sorted.clear();
  for (int i = 0; i < _referents.length(); i++) {
    _sorted.append(_referents.at(i).target >> shift);
  }
  if (_sorted.length() > 1) {
    QuickSort::sort(_sorted.adr_at(0), _sorted.length(), compare_numbers, false);
  }
}

bool FarPageSummary::is_sorted_referent(size_t value) const {
  int low = 0;
  for (int high = _sorted.length(); low < high; ) {
    const int middle = low + (high - low) / 2;
    if (_sorted.at(middle) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < _sorted.length() && _sorted.at(low) == value;
}

bool FarPageSummary::keeps_referent() {
  sort_referents(0);
  for (int i = 0; !_sorted.is_empty() && i < _references.length(); i++) {
    if (is_sorted_referent(_references.at(i).target)) {
      return true;
    }
  }
  return false;
}

// Finds the references that are written by page, and sorts them by target.
template <typename Filter>
void FarPageSummary::select_paged(const References& references, const FarTargets& targets, BitMap& paged, Filter may_be_paged) {
  _paged.clear();
  for (int i = 0; i < references.length(); i++) {
    if (targets.is_marked(references.at(i).target) && may_be_paged(references.at(i).target)) {
      paged.set_bit((BitMap::idx_t)i);
      _paged.append(references.at(i));
    }
  }
  if (_paged.length() > 1) {
    QuickSort::sort(_paged.adr_at(0), _paged.length(), compare, false);
  }
}

void FarPageSummary::write_paged(GrowableArrayCHeap<u1, mtGC>& bytes, const References& references, const FarTargets& targets,
                                 const BitMap& paged) const {
  write_references(bytes, references, _first_target, [&](int i) { return paged.at((BitMap::idx_t)i); });
  // A group for each region. It consists of the parts, the number of runs, and the runs.
  size_t page = 0;
  for (int first = 0; first < _paged.length(); ) {
    const size_t region = _paged.at(first).target >> targets._log_region;
    size_t parts = 0;
    size_t runs = 0;
    size_t last = SIZE_MAX - 1;
    int end = first;
    for (; end < _paged.length() && _paged.at(end).target >> targets._log_region == region; end++) {
      const size_t at = _paged.at(end).target >> targets._log_page;
      runs += at - last > 1 ? 1 : 0;
      last = at;
      parts |= (size_t)1 << _paged.at(end).slot / targets._slots_per_part;
    }
    write_number(bytes, parts);
    write_number(bytes, runs);
    write_runs(bytes, first, end, page, targets._log_page);
    first = end;
  }
  write_number(bytes, 0);              // no more groups
}

void FarPageSummary::write_by_page(GrowableArrayCHeap<u1, mtGC>& bytes, const FarTargets& targets) {
  ResourceMark rm;
  ResourceBitMap paged((BitMap::idx_t)_references.length());
  sort_referents(targets._log_page);
  select_paged(_references, targets, paged, [&](size_t target) { return !is_sorted_referent(target >> targets._log_page); });
  write_head(bytes, (size_t)(_references.length() - _paged.length()), true);
  write_paged(bytes, _references, targets, paged);
  if (!_referents.is_empty()) {
    ResourceBitMap paged_referents((BitMap::idx_t)_referents.length());
    select_paged(_referents, targets, paged_referents, [](size_t target) { return true; });
    write_number(bytes, (size_t)(_referents.length() - _paged.length()) << 1 | 1);
    write_paged(bytes, _referents, targets, paged_referents);
  }
}

FarSummaryReader::FarSummaryReader(const u1* bytes, size_t first_target) :
  _next(bytes), _first_target(first_target) {
  _objects = read();
  _words = read();
  _loaders = read();
  _has_referents = (_loaders & 1) != 0;
  _starts = (_loaders & 2) != 0 ? _objects : 0;
  _loaders >>= 2;
  begin_references(read());
}

void FarSummaryReader::begin_references(size_t number) {
  _references = number >> 1;
  _has_pages = (number & 1) != 0;
  _slot = 0;
  _target = _first_target;
  _page = 0;
  _parts = 0;
  _runs = 0;
}

bool FarSummaryReader::begin_referents() {
  assert(_references == 0 && !_has_pages, "references and pages come before");
  if (!_has_referents) {
    return false;
  }
  _has_referents = false;
  begin_references(read());
  return true;
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

bool FarSummaryReader::next_start(size_t& start) {
  assert(_loaders == 0, "loaders come first");
  if (_starts == 0) {
    _target = _first_target;
    return false;
  }
  _starts--;
  start = _target += read();           // not used as a target until all starts are read
  return true;
}

void FarSummaryReader::skip_to_references() {
  while (next_loader() != NULL) {
  }
  size_t start;
  while (next_start(start)) {
  }
}

bool FarSummaryReader::next_reference(size_t& slot, size_t& target) {
  assert(_loaders == 0 && _starts == 0, "loaders and starts come first");
  if (_references == 0) {
    return false;
  }
  _references--;
  slot = _slot = read_after(_slot);
  target = _target = read_after(_target);
  return true;
}

bool FarSummaryReader::next_pages(size_t& first, size_t& count, size_t& parts) {
  assert(_references == 0, "references come before");
  if (!_has_pages) {
    return false;
  }
  if (_runs == 0) {
    _parts = read();
    if (_parts == 0) {
      _has_pages = false;
      return false;
    }
    _runs = read();
  }
  _runs--;
  const size_t run = read();
  first = _page + (run >> 1);
  count = (run & 1) == 0 ? 1 : read() + 2;
  _page = first + count;
  parts = _parts;
  return true;
}

FarRegionSummaries::FarRegionSummaries(size_t pages, uint cycle) :
  _pages(pages), _entries(NEW_C_HEAP_ARRAY(u4, pages, mtGC)), _bytes(NULL), _length(0), _cycle(cycle), _open(false),
  _next(NULL) {
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

bool FarRegionSummaries::add(size_t page, FarPageSummary& summary, const FarTargets& targets, size_t exact_limit, size_t limit,
                             size_t& size, bool& is_by_page) {
  is_by_page = false;
  if (add(page, summary, MIN2(exact_limit, limit), size)) {
    return true;
  }
  const size_t exact = size;
  const int start = _growing.length();
  summary.write_by_page(_growing, targets);
  size = (size_t)(_growing.length() - start);
  if (size <= limit && size < exact) {
    _entries[page] = (u4)start << 1 | (summary.crosses() ? 1 : 0);
    is_by_page = true;
    return true;
  }
  _growing.trunc_to(start);
  return add(page, summary, limit, size);
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
