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
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"

H2CardPages* H2CardPages::_of_h2 = NULL;

static BitMapView new_set(size_t pages) {
  const size_t words = BitMap::calc_size_in_words(pages);
  BitMap::bm_word_t* const map = NEW_C_HEAP_ARRAY(BitMap::bm_word_t, words, mtGC);
  memset(map, 0, words * sizeof(BitMap::bm_word_t));
  return BitMapView(map, pages);
}

H2CardPages::H2CardPages() :
  _first(H1Heap::card_table()->byte_for(H2Heap::bottom())), _page_size(os::vm_page_size()),
  _pages_per_region(H2RegionSize / CardTable::card_size / _page_size), _is_enabled(false), _pagemap(-1), _userfaultfd(-1),
  _listed(NULL), _listed_count(0), _read(0), _read_in_vain(0), _with_young(0), _in_vain_unprotected(0), _adjusted(0) {
  const size_t region_cards = H2RegionSize / CardTable::card_size;
  const char* const error = !is_aligned(_first, _page_size) || !is_aligned(region_cards, _page_size)
                            ? "regions share pages of the card table" : system_watch();
  if (error != NULL) {
    log_info(gc, h2)("Collections read the cards of all of H2: %s", error);
    return;
  }
  const size_t pages = H2Heap::region_count() * _pages_per_region;
  for (int i = 0; i < SetCount; i++) {
    _sets[i] = new_set(pages);
  }
  _known = new_set(pages);
  _young = new_set(pages);
  _listed = NEW_C_HEAP_ARRAY(uint, H2Heap::region_count(), mtGC);
  _is_enabled = true;
}

size_t H2CardPages::page_count() const {
  return H2Heap::heap().committed_count() * _pages_per_region;
}

// but_known: leaves out pages whose cards are known.
void H2CardPages::found_written(size_t from, size_t to, bool but_known) {
  if (!but_known) {
    for (int i = 0; i < SetCount; i++) {
      _sets[i].set_range(from, to);
    }
    return;
  }
  for (size_t page = _known.get_next_zero_offset(from, to); page < to; page = _known.get_next_zero_offset(page + 1, to)) {
    add(cards_of(page), cards_of(page));
  }
}

class H2FindWrittenTask : public AbstractGangTask {
  H2CardPages&    _pages;
  const size_t    _end;
  volatile size_t _claimed;
  volatile bool   _has_failed;

 public:
  // A stripe has whole words of the sets. Checking one (32 GB of H2) takes a tenth of a millisecond.
  static const size_t StripePages = 16 * K;

  H2FindWrittenTask(H2CardPages& pages, size_t end) :
    AbstractGangTask("H2 Find Written Cards"), _pages(pages), _end(end), _claimed(0), _has_failed(false) {}

  virtual void work(uint worker_id) {
    size_t from;
    while ((from = Atomic::fetch_and_add(&_claimed, StripePages)) < _end) {
      if (!_pages.system_find_written(from, MIN2(from + StripePages, _end), false)) {
        Atomic::store(&_has_failed, true);
      }
    }
  }

  bool has_failed() const { return _has_failed; }
};

void H2CardPages::fall_back() {
  log_info(gc, h2)("Collections read the cards of all of H2 from now on: the system does not tell which were written");
  _is_enabled = false;
}

void H2CardPages::find_written() {
  if (!_is_enabled) {
    return;
  }
  H2FindWrittenTask task(*this, page_count());
  if (page_count() <= H2FindWrittenTask::StripePages) {
    task.work(0);
  } else {
    H1Heap::workers()->run_task(&task);
  }
  if (task.has_failed()) {
    fall_back();
  } else if (VerifyH2) {
    verify();
  }
}

void H2CardPages::list_regions() {
  const size_t end = page_count();
  _listed_count = 0;
  for (size_t page = _sets[ToScavenge].get_next_one_offset(0, end); page < end;
       page = _sets[ToScavenge].get_next_one_offset(page, end)) {
    const uint index = (uint)(page / _pages_per_region);
    page = (index + 1) * _pages_per_region;
    _listed[_listed_count++] = index;
  }
}

void H2CardPages::found_free(uint index) {
  for (size_t page = index * _pages_per_region; _is_enabled && page < (index + 1) * _pages_per_region; page++) {
    _sets[ToScavenge].par_clear_bit(page);      // opening the region writes all its cards
    remove(page, { false, false });
  }
}

void H2CardPages::begin_scavenge() {
  find_written();
  if (_is_enabled) {
    list_regions();
  }
}

bool H2CardPages::is_worth_protecting() const {
  // The next minor collection writes about half of these cards. A page fault takes as long as reading two pages.
  return _in_vain_unprotected > _with_young + page_count() / ProtectedForRead;
}

// The other workers have scanned all cards. They still write only to pages that are in ToScavenge.
void H2CardPages::protect() {
  if (system_find_written(0, page_count(), true)) {
    _in_vain_unprotected = 0;
  } else {
    fall_back();
  }
}

void H2CardPages::end_scavenge() {
  _in_vain_unprotected += _read_in_vain;
  if (_is_enabled) {
    // Not earlier. A scan of a page may set young cards on the next one, which may be read later and would leave the set.
    _sets[ToScavenge].set_union(_young);
    _young.clear_range(0, page_count());
  }
  const bool protects = _is_enabled && is_worth_protecting();
  if (protects) {
    protect();
  }
  if (_is_enabled) {
    log_debug(gc, h2)("Cards: read " SIZE_FORMAT " of " SIZE_FORMAT " pages, " SIZE_FORMAT " of them in vain%s", _read, page_count(),
                      _read_in_vain, protects ? ", protected all" : "");
    _known.clear_range(0, page_count());
  }
  H2Statistics::add(H2Statistics::MinorCardPages, (jlong)_read);
  _read = 0;
  _read_in_vain = 0;
  _with_young = 0;
}

void H2CardPages::end_adjust() {
  if (_is_enabled) {
    log_debug(gc, h2)("Cards: adjusted those of " SIZE_FORMAT " of " SIZE_FORMAT " pages", _adjusted, page_count());
  }
  _adjusted = 0;
}

uint H2CardPages::region_count() const {
  return _is_enabled ? _listed_count : H2Heap::heap().committed_count();
}

void H2CardPages::add(const CardValue* first, const CardValue* last) {
  if (!_is_enabled) {
    return;
  }
  for (size_t page = page_of(first); page <= page_of(last); page++) {
    for (int i = 0; i < SetCount; i++) {
      _sets[i].par_set_bit(page);
    }
  }
}

// Each region has one worker, but several regions share a word of a set, so bits are cleared atomically.
void H2CardPages::remove(size_t page, H2Card::Found found) {
  if (!found.has_unremembered) {
    _sets[Unremembered].par_clear_bit(page);
  }
  if (!found.has_unclean) {
    _sets[Unclean].par_clear_bit(page);
  }
}

// Cards that an abandoned transfer left above the top of a region count as well.
void H2CardPages::scavenged(const CardValue* first, const CardValue* end, H2Card::Found found, bool has_due) {
  if (!_is_enabled) {
    return;
  }
  const size_t page = page_of(first);
  const bool is_whole = first == cards_of(page) && end == cards_of(page + 1);
  _sets[ToScavenge].par_clear_bit(page);
  if (is_whole) {
    _known.par_set_bit(page);
  }
  if (has_due) {
    return;
  }
  if (is_whole) {
    remove(page, found);
  } else {
    adjusted(first);
  }
}

void H2CardPages::stays_young(const CardValue* card) {
  if (_is_enabled) {
    _young.par_set_bit(page_of(card));
  }
}

void H2CardPages::adjusted(const CardValue* first) {
  if (_is_enabled) {
    const size_t page = page_of(first);
    remove(page, H2Card::find(cards_of(page), cards_of(page + 1)));
  }
}

void H2CardPages::count(size_t read, size_t in_vain, size_t with_young) {
  Atomic::add(&_read, read);
  Atomic::add(&_read_in_vain, in_vain);
  Atomic::add(&_with_young, with_young);
}

void H2CardPages::count_adjusted(size_t pages) {
  Atomic::add(&_adjusted, pages);
}

void H2CardPages::verify() const {
  for (uint i = 0; i < H2Heap::heap().committed_count(); i++) {
    H2Region* const r = H2Heap::region(i);
    const MemRegion used = r->is_free() ? MemRegion() : H2Heap::used_part(r);
    if (used.is_empty()) {
      continue;
    }
    CardTable* const ct = H1Heap::card_table();
    H2Card::unclean_do(ct->byte_for(used.start()), ct->byte_for(used.last()) + 1, [&](CardValue* card) {
      const bool to_scavenge = *card == H2Card::Dirty || *card == H2Card::Young;
      guarantee(_sets[Unclean].at(page_of(card)) && (!to_scavenge || _sets[ToScavenge].at(page_of(card))) &&
                (*card == H2Card::Remembered || _sets[Unremembered].at(page_of(card))),
                "card " PTR_FORMAT " of H2 region %u is %d, but no collection would read its page", p2i(card), i, *card);
    });
  }
}
