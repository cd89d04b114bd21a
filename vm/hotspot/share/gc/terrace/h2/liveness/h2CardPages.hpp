/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2CARDPAGES_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2CARDPAGES_HPP

#include "gc/shared/cardTable.hpp"
#include "memory/allStatic.hpp"
#include "utilities/align.hpp"
#include "utilities/bitMap.inline.hpp"

// Finds the pages of H2's card table that a collection has to read. The system write-protects the pages, and removes the
// protection of a page at its first write, without a signal. The page table then shows which pages were written, by the
// program or by a collection. A page of 4 KB has the cards of 2 MB of H2, and a region has whole pages.
//
// There are two sets of pages:
//
//   ToScavenge   may have dirty or young cards
//   Unclean      may have cards that are not clean
//
// find_written() adds the pages that were written since its last call to both sets. A page leaves a set when all its
// cards were read and none of them belongs to the set, or when its region is free. So cards that stay young, and pages
// that a major collection has written, are found again.
//
// Pages that are written between all collections should stay unprotected, because the first write to a protected page
// causes a page fault. But every collection reads the unprotected pages. All pages are therefore protected again once
// reading pages without a card to scan has taken longer than the page faults will.
//
// If the system does not support this, collections read the cards of all regions.
class H2CardPages : public AllStatic {
 public:
  typedef CardTable::CardValue CardValue;
  enum Set { ToScavenge, Unclean, SetCount };

 private:
  static bool       _is_enabled;
  static CardValue* _first;             // first card of H2
  static size_t     _page_size;         // in bytes, and in cards
  static size_t     _pages_per_region;
  static BitMapView _sets[SetCount];
  static uint*      _listed;            // regions with pages to scavenge
  static uint       _listed_count;

  // Pages that this minor collection has read. In vain: no card on the page had to be scanned.
  static volatile size_t _read;
  static volatile size_t _read_in_vain;
  static size_t     _in_vain_unprotected;   // since all pages were last protected
  static size_t     _scanned_before;        // pages with a scanned card in the last minor collection
  static bool       _has_protected;

  // A page fault takes as long as reading this many pages.
  static const size_t FaultCost = 4;

  friend class H2FindWrittenTask;

  static size_t page_of(const CardValue* card) { return pointer_delta(card, _first, 1) / _page_size; }
  static CardValue* cards_of(size_t page)      { return _first + page * _page_size; }
  static size_t page_count();                  // pages of regions that were ever in use
  static bool   is_clean(size_t page);

  // Returns NULL, or why the system does not track writes.
  static const char* system_watch();
  // Calls found_written for written pages of [from, to), and protects them if requested. Returns false if the system fails.
  static bool system_find_written(size_t from, size_t to, bool protect);
  static void found_written(size_t from, size_t to);

  static void find_written(bool protect);
  static void list_regions();
  static void verify();

 public:
  static void initialize();
  static bool is_enabled()                     { return _is_enabled; }

  // Called in a pause, before reading cards that code other than H2Cards has written.
  static void find_written()                   { find_written(false); }
  static void begin_scavenge();
  static void end_scavenge();

  // Indices of regions that a minor collection reads. Some may be free.
  static uint region_count();
  static uint region_at(uint i)                { return _is_enabled ? _listed[i] : i; }

  // Calls function(first, end) for the cards of each page of the set in [first, end), which is in one region. The
  // function may add later pages.
  template <typename Function>
  static void pages_do(Set set, CardValue* first, CardValue* end, Function function) {
    if (!_is_enabled) {
      function(first, end);
      return;
    }
    const size_t limit = page_of(end - 1) + 1;
    for (size_t page = _sets[set].get_next_one_offset(page_of(first), limit); page < limit;
         page = _sets[set].get_next_one_offset(page + 1, limit)) {
      function(MAX2(first, cards_of(page)), MIN2(end, cards_of(page + 1)));
    }
  }

  // Records that these cards may be dirty now. Called by any worker.
  static void add(const CardValue* first, const CardValue* last);
  // Called by the worker that owns the region, after it has read the cards of a page. has_scanned: it scanned some.
  static void scavenged(const CardValue* first, bool has_scanned);
  static void adjusted(const CardValue* first);
  // Called once by each worker.
  static void count(size_t read, size_t in_vain);
  static size_t pages(const CardValue* first, const CardValue* end) {
    return align_up(pointer_delta(end, first, 1), _page_size) / _page_size;
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2CARDPAGES_HPP
