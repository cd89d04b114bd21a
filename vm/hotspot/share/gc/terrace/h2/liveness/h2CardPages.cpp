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
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"

H2CardPages* H2CardPages::_of_h2 = NULL;

H2CardPages::H2CardPages() :
  _first(H1Heap::card_table()->byte_for(H2Heap::bottom())), _page_size(os::vm_page_size()),
  _pages_per_region(H2RegionSize / CardTable::card_size / _page_size), _is_enabled(false), _pagemap(-1), _userfaultfd(-1),
  _listed(NULL), _listed_count(0), _read(0), _read_in_vain(0), _in_vain_unprotected(0), _scanned_before(0), _has_protected(false),
  _adjusted(0) {
  const size_t region_cards = H2RegionSize / CardTable::card_size;
  const char* const error = !is_aligned(_first, _page_size) || !is_aligned(region_cards, _page_size)
                            ? "regions share pages of the card table" : system_watch();
  if (error != NULL) {
    log_info(gc, h2)("Collections read the cards of all of H2: %s", error);
    return;
  }
  const size_t pages = H2Heap::region_count() * _pages_per_region;
  for (int i = 0; i < SetCount; i++) {
    const size_t words = BitMap::calc_size_in_words(pages);
    BitMap::bm_word_t* const map = NEW_C_HEAP_ARRAY(BitMap::bm_word_t, words, mtGC);
    memset(map, 0, words * sizeof(BitMap::bm_word_t));
    _sets[i] = BitMapView(map, pages);
  }
  _listed = NEW_C_HEAP_ARRAY(uint, H2Heap::region_count(), mtGC);
  _is_enabled = true;
}

size_t H2CardPages::page_count() const {
  return H2Heap::heap().committed_count() * _pages_per_region;
}

bool H2CardPages::has_only(size_t page, uint8_t state, uint8_t other) const {
  const uint64_t eight = state * H2Card::EightOnes;
  const uint64_t eight_others = other * H2Card::EightOnes;
  const CardValue* const end = cards_of(page + 1);
  for (const CardValue* row = cards_of(page); row < end; row += sizeof(uint64_t)) {
    const uint64_t cards = *(uint64_t*)row;
    for (size_t i = 0; cards != eight && cards != eight_others && i < sizeof(uint64_t); i++) {
      if (row[i] != state && row[i] != other) {
        return false;
      }
    }
  }
  return true;
}

void H2CardPages::found_written(size_t from, size_t to) {
  for (int i = 0; i < SetCount; i++) {
    _sets[i].set_range(from, to);
  }
}

class H2FindWrittenTask : public AbstractGangTask {
  H2CardPages&    _pages;
  const size_t    _end;
  const bool      _protect;
  volatile size_t _claimed;
  volatile bool   _has_failed;

 public:
  // A stripe has whole words of the sets. Checking one (32 GB of H2) takes a tenth of a millisecond.
  static const size_t StripePages = 16 * K;

  H2FindWrittenTask(H2CardPages& pages, size_t end, bool protect) :
    AbstractGangTask("H2 Find Written Cards"), _pages(pages), _end(end), _protect(protect), _claimed(0), _has_failed(false) {}

  virtual void work(uint worker_id) {
    size_t from;
    while ((from = Atomic::fetch_and_add(&_claimed, StripePages)) < _end) {
      if (!_pages.system_find_written(from, MIN2(from + StripePages, _end), _protect)) {
        Atomic::store(&_has_failed, true);
      }
    }
  }

  bool has_failed() const { return _has_failed; }
};

void H2CardPages::find_written(bool protect) {
  if (!_is_enabled) {
    return;
  }
  H2FindWrittenTask task(*this, page_count(), protect);
  if (page_count() <= H2FindWrittenTask::StripePages) {
    task.work(0);
  } else {
    H1Heap::workers()->run_task(&task);
  }
  if (task.has_failed()) {
    log_info(gc, h2)("Collections read the cards of all of H2 from now on: the system does not tell which were written");
    _is_enabled = false;
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
    if (H2Heap::region(index)->is_free()) {
      for (int i = 0; i < SetCount; i++) {
        _sets[i].clear_range(index * _pages_per_region, page);    // opening the region writes all its cards
      }
    } else {
      _listed[_listed_count++] = index;
    }
  }
}

void H2CardPages::begin_scavenge() {
  _has_protected = _in_vain_unprotected > FaultCost * _scanned_before;
  find_written(_has_protected);
  if (_is_enabled) {
    list_regions();
  }
}

void H2CardPages::end_scavenge() {
  if (_is_enabled) {
    log_debug(gc, h2)("Cards: read " SIZE_FORMAT " of " SIZE_FORMAT " pages, " SIZE_FORMAT " of them in vain%s", _read, page_count(),
                      _read_in_vain, _has_protected ? ", protected all" : "");
  }
  _in_vain_unprotected = (_has_protected ? 0 : _in_vain_unprotected) + _read_in_vain;
  _scanned_before = _read - _read_in_vain;
  H2Statistics::add(H2Statistics::MinorCardPages, (jlong)_read);
  _read = 0;
  _read_in_vain = 0;
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
void H2CardPages::scavenged(const CardValue* first, bool has_due) {
  if (!_is_enabled || has_due) {
    return;
  }
  _sets[ToScavenge].par_clear_bit(page_of(first));
  adjusted(first);
}

// Cards that an abandoned transfer left above the top of a region count as well.
void H2CardPages::adjusted(const CardValue* first) {
  if (!_is_enabled || !has_only(page_of(first), H2Card::Clean, H2Card::Remembered)) {
    return;
  }
  _sets[Unremembered].par_clear_bit(page_of(first));
  if (has_only(page_of(first), H2Card::Clean, H2Card::Clean)) {
    _sets[Unclean].par_clear_bit(page_of(first));
  }
}

void H2CardPages::count(size_t read, size_t in_vain) {
  Atomic::add(&_read, read);
  Atomic::add(&_read_in_vain, in_vain);
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
