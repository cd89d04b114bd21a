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
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/count_trailing_zeros.hpp"
#include "utilities/powerOfTwo.hpp"

char*        FarPages::_base = NULL;
size_t       FarPages::_count = 0;
int          FarPages::_shift = 0;
FarBits      FarPages::_absent;
FarBits      FarPages::_asked;
uint         FarPages::_torture_epoch = 0;

size_t FarPageSet::next(size_t page) const {
  for (size_t i = page - _first; i < ChunkPages; i = align_down(i, BitsPerWord) + BitsPerWord) {
    const uintptr_t rest = _words[i / BitsPerWord] >> i % BitsPerWord;
    if (rest != 0) {
      return _first + i + count_trailing_zeros(rest);
    }
  }
  return limit();
}

const char* FarPages::initialize(MemRegion heap) {
  const char* const error = open_map();
  if (error != NULL && FarMemoryTorture == 0) {
    return error;
  }
  _base = (char*)heap.start();
  _shift = log2i_exact((uint)os::vm_page_size());
  _count = heap.byte_size() >> _shift;
  return _absent.allocate(_count) && _asked.allocate(_count) ? NULL : "no memory for its tables";
}

void FarPages::put_absent(size_t from, size_t to, bool value) {
  if (from < to) {
    _absent.par_at_put_range(from, to, value);
  }
}

// In one of four epochs, no page is absent.
bool FarPages::is_tortured(size_t page) {
  if (_torture_epoch % 4 == 3) {
    return false;
  }
  uint64_t x = (page + 1) * 0x9e3779b97f4a7c15ull ^ ((uint64_t)FarMemoryTortureSeed + _torture_epoch) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 31) * 0x94d049bb133111ebull;
  return (x >> 32) % FarMemoryTorture == 0;
}

void FarPages::refresh(size_t from, size_t to) {
  if (FarMemoryTorture != 0) {
    for (size_t page = from; page < to; page++) {
      _absent.par_at_put(page, is_tortured(page));
    }
  } else if (!system_find_absent(from, to)) {
    put_absent(from, to, false);
  }
}

size_t FarPages::refresh_until(bool (*should_stop)(), size_t step) {
  size_t page = 0;
  while (page < _count && !should_stop()) {
    const size_t end = MIN2(page + step, _count);
    refresh(page, end);
    page = end;
  }
  return page;
}

size_t FarPages::ask_for(FarPageSet& wanted, size_t limit, size_t& refused) {
  assert(limit <= MIN2(wanted.limit(), _count), "page " SIZE_FORMAT, limit);
  size_t asked = 0;
  size_t page = wanted.next(wanted.first());
  while (page < limit) {
    if (!is_absent(page)) {
      page = wanted.next(page + 1);
      continue;
    }
    const size_t start = page;
    size_t end = page + 1;
    while ((page = wanted.next(page + 1)) < limit && page - end <= MaxGap) {
      if (is_absent(page)) {
        end = page + 1;
      }
    }
    if (!advise_willneed(address_of(start), size_of(end - start))) {
      // The pages will be read one by one when they are touched.
      refused += end - start;
      put_absent(start, end, false);
      continue;
    }
    for (size_t p = start; p < end; p++) {
      if (is_absent(p)) {
        wanted.add(p);
        _asked.par_set_bit(p);
        asked++;
      }
    }
    put_absent(start, end, false);
  }
  return asked;
}

void FarPages::keep(size_t from, size_t to) {
  for (size_t page = _asked.get_next_one_offset(from, to); page < to; page = _asked.get_next_one_offset(page + 1, to)) {
    _asked.par_clear_bit(page);
  }
}

size_t FarPages::give_back(size_t from, size_t to) {
  size_t given = 0;
  for (size_t page = _asked.get_next_one_offset(from, to); page < to; page = _asked.get_next_one_offset(page, to)) {
    const size_t end = _asked.get_next_zero_offset(page, to);
    size_t taken = 0;                  // by this worker, because another one may page out some pages
    for (size_t p = page; p < end; p++) {
      taken += _asked.par_clear_bit(p) ? 1 : 0;
    }
    if (advise_cold(address_of(page), size_of(end - page))) {
      given += taken;
    }
    page = end;
  }
  return given;
}
