/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARSUMMARYSET_HPP
#define SHARE_GC_TERRACE_FAR_FARSUMMARYSET_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"
#include "runtime/atomic.hpp"
#include "utilities/bitMap.inline.hpp"

// The set of pages that marking marks from their summaries, for any collector. It is fixed when
// marking begins. It contains unwritten pages that are absent now, or were absent at the end of the
// previous cycle. The latter are in memory only for a short time, and would be absent again before
// marking reaches them.
//
// When marking finds a reference to an object on such a page, it reaches the page. A worker that has
// nothing else to do marks the pages that were reached. Objects on such a page are never scanned, even
// if it becomes present.
class FarSummarySet : public AllStatic {
  static FarBits         _pages;
  static FarBits         _away;        // pages that were absent at the end of the previous cycle
  static FarBits         _reached;     // two bits for a page: it is reached, or it is excluded
  static FarBits         _pending;     // reached but not marked yet
  static volatile size_t _pending_count;
  static volatile size_t _cursor;
  static size_t          _page_count;

  static bool reach_slow(size_t page);

 public:
  // Returns false if there is no memory.
  static bool initialize();

  // Called at the end of a cycle, when the map of absent pages has just been refreshed.
  static void note_absent();

  // Called when marking begins, by one thread. The first page from page on that may be in the set, or
  // limit.
  static size_t next_candidate(size_t page, size_t limit);
  static void add(size_t page) {
    _pages.set_bit(page);
    _page_count++;
  }
  // Called when marking ends. Returns whether the set contained pages.
  static bool end(bool is_complete);

  static size_t page_count()           { return _page_count; }
  static bool contains(size_t page)    { return _pages.at(page); }
  // Returns false if the page was excluded before.
  static bool reach(size_t page) { return _reached.at(2 * page) || reach_slow(page); }
  // Excludes the page from the set until marking ends, unless it was reached before. Returns whether it is excluded.
  static bool exclude(size_t page) {
    _reached.par_set_of_pair(2 * page + 1);
    return _reached.at(2 * page + 1);
  }

  static bool has_pending()            { return Atomic::load_acquire(&_pending_count) != 0; }
  // Calls mark(page) for pending pages in address order, until stops() returns true.
  template <typename Mark, typename Stops> static void drain(Mark mark, Stops stops) {
    const size_t count = _pending.size();
    const size_t start = Atomic::load(&_cursor);
    size_t page = _pending.get_next_one_offset(start, count);
    if (page == count) {
      page = _pending.get_next_one_offset(0, count);
    }
    for (; page < count && !stops(); page = _pending.get_next_one_offset(page + 1, count)) {
      if (_pending.par_clear_bit(page)) {
        mark(page);
        Atomic::dec(&_pending_count);
      }
    }
    Atomic::store(&_cursor, page < count ? page : 0);
  }
};

#endif // SHARE_GC_TERRACE_FAR_FARSUMMARYSET_HPP
