/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARROOTS_HPP
#define SHARE_GC_TERRACE_FAR_FARROOTS_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/g1/heapRegion.hpp"
#include "gc/terrace/far/farYoung.hpp"

// A young pause reads absent pages: those of dirty cards in old regions, and those of the
// objects that it copies. The mark bitmap tells what is dead where a dirty card is, and the
// block offset table where objects start; between cycles only pauses use them, so that most
// of both is absent, too. A worker waits for the device, for one page after the other. So before
// it scans any card, it asks for the pages of its share of the regions, and the device reads
// many of them at once.
class FarRoots : public HeapRegionClosure {
  class CollectionSetClosure;

  static volatile size_t _all_asked;

  uint   _regions;                     // of the share that are left
  size_t _pages;                       // that it may ask for still
  size_t _asked;

  static uint   share(uint regions);
  static size_t most_pages();
  static bool   has_dirty_card(HeapWord* start, size_t bytes);

  FarRoots(uint regions, size_t pages) : _regions(regions), _pages(pages), _asked(0) {}

  static void ask_for_marks(HeapRegion* region);
  static void ask_for_starts(HeapRegion* region);
  template <typename Wanted> void ask_for_pages(HeapRegion* region, Wanted is_wanted);
  void ask_for_collection_set(bool marks_only, uint worker_id);
  void end(uint worker_id);

 public:
  virtual bool do_heap_region(HeapRegion* region);

  // The hook of the workers, after cards have been merged. The regions come in the
  // order in which this worker is going to scan them. Marks of the collection set are
  // looked up last, so that they have come.
  template <typename ScanState> static void ask_ahead(ScanState* state, uint worker_id) {
    if (!FarYoung::is_short()) {
      return;
    }
    FarRoots roots(share((uint)(state->num_cards_in_dirty_regions() / HeapRegion::CardsPerRegion)), most_pages());
    roots.ask_for_collection_set(true, worker_id);
    state->iterate_dirty_regions_from(&roots, worker_id);
    roots.ask_for_collection_set(false, worker_id);
    roots.end(worker_id);
  }

  // Pages, of all pauses so far.
  static size_t all_asked() { return Atomic::load(&_all_asked); }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_FARROOTS_HPP
