/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARPAGES_HPP
#define SHARE_GC_TERRACE_FAR_FARPAGES_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"

class FarPages;

// A set of pages of one chunk.
class FarPageSet {
  friend class FarPages;

 public:
  static const size_t ChunkPages = 512;

 private:
  static const size_t Words = ChunkPages / BitsPerWord;

  size_t    _first;
  uintptr_t _words[Words];

 public:
  FarPageSet() { reset(0); }

  void reset(size_t first) {
    _first = first;
    for (size_t i = 0; i < Words; i++) {
      _words[i] = 0;
    }
  }

  size_t first() const { return _first; }
  size_t limit() const { return _first + ChunkPages; }

  bool contains(size_t page) const {
    const size_t i = page - _first;
    return i < ChunkPages && (_words[i / BitsPerWord] >> i % BitsPerWord & 1) != 0;
  }

  void add(size_t page) {
    const size_t i = page - _first;
    assert(i < ChunkPages, "page of another chunk");
    _words[i / BitsPerWord] |= (uintptr_t)1 << i % BitsPerWord;
  }

  // The first page of the set that is not less than page, or limit().
  size_t next(size_t page) const;

  bool is_empty() const { return next(_first) == limit(); }
};

// The map of absent heap pages, which are pages that are swapped out. The map is only a hint. The
// system pages in and out at any time, and the map changes only when it is refreshed.
//
// Pages are numbered from the start of the reserved heap. A chunk is 2 MB.
class FarPages : public AllStatic {
  friend class FarPagesTest;

  static char*        _base;
  static size_t       _count;
  static int          _shift;
  static FarBits      _absent;
  static FarBits      _asked;          // absent pages that the collector requested and has not paged out
  static uint         _torture_epoch;

  // Implemented per operating system. Errors are messages.
  static const char* open_map();
  static bool        system_find_absent(size_t from, size_t to);
  static bool        advise_willneed(char* start, size_t size);
  static bool        advise_read(char* start, size_t size);
  static bool        advise_cold(char* start, size_t size);
  static bool        advise_pageout(char* start, size_t size);
  static bool        advise_free(char* start, size_t size);
  static julong      status_kilobytes(const char* name);

  static char* address_of(size_t page) { return _base + (page << _shift); }
  static size_t size_of(size_t pages)  { return pages << _shift; }

  static void put_absent(size_t from, size_t to, bool value);
  static bool is_tortured(size_t page);

 public:
  static const size_t ChunkPages = FarPageSet::ChunkPages;
  // The largest gap between two wanted pages that is read with them. One larger read costs less
  // than two reads.
  static const size_t MaxGap = 8;

  // Returns NULL, or the reason why absent pages cannot be found.
  static const char* initialize(MemRegion heap);

  static size_t count()                     { return _count; }
  static size_t page_of(const void* p)      { return pointer_delta(p, _base, 1) >> _shift; }
  static HeapWord* bottom_of(size_t page)   { return (HeapWord*)address_of(page); }
  static size_t words_per_page()            { return size_of(1) / HeapWordSize; }

  // Objects are numbered by their offset in the heap, in units of the object alignment.
  static size_t bit_of(const void* obj)     { return pointer_delta((HeapWord*)obj, bottom_of(0)) >> LogMinObjAlignment; }
  static HeapWord* object_at(size_t bit)    { return bottom_of(0) + (bit << LogMinObjAlignment); }

  static bool is_absent(size_t page)        { return _absent.at(page); }
  static bool is_absent_at(const void* p)   { return is_absent(page_of(p)); }
  static size_t next_present(size_t page)   { return _absent.get_next_zero_offset(page); }
  static size_t next_absent(size_t page, size_t limit) { return _absent.get_next_one_offset(page, limit); }
  static size_t absent_count()              { return _absent.count_one_bits(); }

  // Asks the system which pages are absent. If it does not say, the pages count as present.
  static void refresh(size_t from, size_t to);
  // Does so for all pages in steps, and stops after a step if the function says so. Returns the number of pages that were
  // looked up. The others keep what the map says.
  static size_t refresh_until(bool (*should_stop)(), size_t step);
  // All pages count as present.
  static void forget_absent()               { _absent.clear_all(); }
  // Simulates another set of absent pages under FarMemoryTorture.
  static void advance_torture()             { _torture_epoch++; }

  // Prefetches the absent pages of the set below limit, including small gaps, and treats them as
  // present. Pages in the gaps are added to the set. Returns the number of prefetched pages, and
  // adds the pages that the system refused to the count refused.
  static size_t ask_for(FarPageSet& wanted, size_t limit, size_t& refused);
  // Tells the system to reclaim the prefetched pages first when it needs memory. Returns their
  // number.
  static size_t give_back(size_t from, size_t to);
  // Leaves the prefetched pages in memory: give_back does not count them any more.
  static void keep(size_t from, size_t to);
  // Starts to read absent pages of the heap or of a table of the VM. Returns false if the system
  // refuses.
  static bool read(MemRegion pages)            { return advise_read((char*)pages.start(), pages.byte_size()); }
  static bool read(size_t from, size_t to)     { return read(MemRegion(bottom_of(from), bottom_of(to))); }
  // Tells the system that the contents are not needed. Returns false if it refuses.
  static bool free(size_t from, size_t to)     { return advise_free(address_of(from), size_of(to - from)); }
  // Whether any page of the process is swapped out.
  static bool is_process_swapped();
  // Whether the process has a memory limit below the memory of the machine.
  static bool is_memory_limited();
  // The number of pages of the process in memory, or 0 if the system does not say.
  static size_t resident_count();
  // The anonymous memory of the process in bytes, in memory or swapped out.
  static julong anonymous_size();

  // For tests: pages out immediately.
  static bool page_out(size_t from, size_t to) { return advise_pageout(address_of(from), size_of(to - from)); }
};

#endif // SHARE_GC_TERRACE_FAR_FARPAGES_HPP
