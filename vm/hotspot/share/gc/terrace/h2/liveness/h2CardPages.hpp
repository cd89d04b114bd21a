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
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "memory/allocation.hpp"
#include "utilities/align.hpp"
#include "utilities/bitMap.inline.hpp"

// Finds the pages of H2's card table that a collection has to read. The system write-protects the pages, and removes the
// protection of a page at its first write, without a signal. The page table then shows which pages were written, by the
// program or by a collection. A page of 4 KB has the cards of 2 MB of H2, and a region has whole pages.
//
// There are three sets of pages:
//
//   ToScavenge     may have dirty or young cards. Minor collections read these.
//   Unremembered   may have cards that are neither clean nor remembered. Major collections read these in a region if its
//                  remembered cards need not be read.
//   Unclean        may have cards that are not clean. Major collections read these in other regions.
//
// find_written() adds the pages that were written since they were last protected to all sets. A page leaves a set when all
// its cards were read and none of them belongs to the set, or when its region is free. So cards that stay young, and pages
// that a major collection has written, are found again.
//
// Pages that are written between all collections should stay unprotected, because the first write to a protected page
// causes a page fault. But every collection reads the unprotected pages. A minor collection therefore protects all pages
// again once reading pages without a card to scan has taken longer than the page faults will. It does so after it has
// scanned all cards. It need not read again what it has written itself. Each page with a slot that may still refer to the
// young generation is in ToScavenge.
//
// If the system does not support this, collections read the cards of all regions.
class H2CardPages : public CHeapObj<mtGC> {
 public:
  typedef CardTable::CardValue CardValue;
  enum Set { ToScavenge, Unremembered, Unclean, SetCount };

 private:
  static H2CardPages* _of_h2;

  CardValue* const  _first;             // first card of H2
  const size_t      _page_size;         // in bytes, and in cards
  const size_t      _pages_per_region;
  bool              _is_enabled;
  int               _pagemap;           // file descriptors of the platform part, or -1
  int               _userfaultfd;
  BitMapView        _sets[SetCount];
  BitMapView        _known;                 // pages all of whose cards this minor collection has read
  BitMapView        _young;                 // pages on which this minor collection may leave young cards
  uint*             _listed;            // regions with pages to scavenge
  uint              _listed_count;

  // Pages that this minor collection has read. In vain: no card on the page had to be scanned.
  volatile size_t   _read;
  volatile size_t   _read_in_vain;
  volatile size_t   _with_young;            // scanned cards with a slot that referred to the young generation
  size_t            _in_vain_unprotected;   // pages read in vain since all pages were last protected
  volatile size_t   _adjusted;              // pages that this major collection has read to adjust cards

  NONCOPYABLE(H2CardPages);

  // Reading a page takes as long as protecting this many that were not written.
  static const size_t ProtectedForRead = 128;

  friend class H2FindWrittenTask;

  size_t page_of(const CardValue* card) const { return pointer_delta(card, _first, 1) / _page_size; }
  CardValue* cards_of(size_t page) const      { return _first + page * _page_size; }
  size_t page_count() const;                  // pages of regions that were ever in use

  // Returns NULL, or why the system does not track writes.
  const char* system_watch();
  // Calls found_written for written pages of [from, to), and protects them if requested. Returns false if the system fails.
  bool system_find_written(size_t from, size_t to, bool protect);
  bool is_worth_protecting() const;
  void found_written(size_t from, size_t to, bool but_known);
  void remove(size_t page, H2Card::Found found);

  H2CardPages();
  void protect();
  void fall_back();
  void list_regions();
  void verify() const;

 public:
  static void initialize()                     { _of_h2 = new H2CardPages(); }
  static H2CardPages& of_h2()                  { return *_of_h2; }

  bool is_enabled() const                      { return _is_enabled; }

  // Called in a pause, before reading cards that code other than H2Cards has written.
  void find_written();
  void begin_scavenge();
  // Called when all cards were scanned. Workers may still copy objects.
  void end_scavenge();
  void end_adjust();

  // Indices of regions that a minor collection reads. Some may be free.
  uint region_count() const;
  uint region_at(uint i) const                 { return _is_enabled ? _listed[i] : i; }

  // Calls function(first, end) for the cards of each page of the set in [first, end), which is in one region. The
  // function may add later pages.
  template <typename Function>
  void pages_do(Set set, CardValue* first, CardValue* end, Function function) const {
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

  // Whether a card on the page of this one may have been made dirty, by a store or by a collection, or may otherwise not be clean.
  bool may_be_unclean(const CardValue* card) const { return !_is_enabled || _sets[Unclean].at(page_of(card)); }

  // Adds the pages of these cards to all sets at once, instead of at the next find_written(). Called by the worker that owns
  // the region, after it has written the cards.
  void add(const CardValue* first, const CardValue* last);
  // Called by the worker that owns the region, after it has read [first, end) on a page. has_due: it found some to scan.
  void scavenged(const CardValue* first, const CardValue* end, H2Card::Found found, bool has_due);
  // Called before the slots of a card are pushed some of which refer to the young generation.
  void stays_young(const CardValue* card);
  // Called by the worker that has claimed this region in a minor collection, if the region is free.
  void found_free(uint index);
  // Called by the worker that owns the region, after it has adjusted the cards of a page.
  void adjusted(const CardValue* first);
  // Called once by each worker.
  void count(size_t read, size_t in_vain, size_t with_young);
  void count_adjusted(size_t pages);
  size_t pages(const CardValue* first, const CardValue* end) const {
    return align_up(pointer_delta(end, first, 1), _page_size) / _page_size;
  }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2CARDPAGES_HPP
