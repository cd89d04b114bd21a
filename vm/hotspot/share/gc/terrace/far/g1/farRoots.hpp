/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARROOTS_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARROOTS_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/g1/heapRegion.hpp"
#include "gc/terrace/far/g1/farYoung.hpp"

// Prefetches absent pages that a young pause scans for roots in old regions. Some dirty cards lie
// on absent pages. The scan also reads the mark bitmap to skip dead objects, and most of the bitmap
// is absent, because only pauses use it between cycles. Without prefetching, a worker would wait
// for these pages one by one. So each worker first requests the pages of its share of the regions,
// and the device reads many pages at once.
class FarRoots : public HeapRegionClosure {
  static volatile size_t _all_asked;

  uint   _regions;                     // regions left in the share
  size_t _pages;                       // pages that it may still request
  size_t _asked;

  static uint   share(uint regions);
  static size_t most_pages();
  static bool   has_dirty_card(HeapWord* start, size_t bytes);

  FarRoots(uint regions, size_t pages) : _regions(regions), _pages(pages), _asked(0) {}

  static void ask_for_marks(HeapRegion* region);
  void ask_for_cards(HeapRegion* region);
  void end(uint worker_id);

 public:
  virtual bool do_heap_region(HeapRegion* region);

  // The hook for the workers, called after the cards have been merged. The regions come in the
  // order in which this worker will scan them.
  template <typename ScanState> static void ask_ahead(ScanState* state, uint worker_id) {
    if (!FarYoung::is_short()) {
      return;
    }
    FarRoots roots(share((uint)(state->num_cards_in_dirty_regions() / HeapRegion::CardsPerRegion)), most_pages());
    state->iterate_dirty_regions_from(&roots, worker_id);
    roots.end(worker_id);
  }

  // The number of pages in all pauses so far.
  static size_t all_asked() { return Atomic::load(&_all_asked); }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_G1_FARROOTS_HPP
