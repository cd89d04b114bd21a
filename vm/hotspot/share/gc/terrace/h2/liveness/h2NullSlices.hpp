/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2NULLSLICES_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2NULLSLICES_HPP

#include "gc/shared/cardTable.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.inline.hpp"

// The slices of large arrays of references that have no references. Marking through H2 does not read them, so the pages
// of a sparse array that the program has never written stay holes of the file. A slice has 64 cards, which are a line of
// the processor's cache.
//
// Each slot on a clean card of a null slice is null:
//
//   - The barrier of a store into an array makes the card of the element dirty.
//   - A collection that changes the state of a dirty card calls written(), and the slice is no longer a null slice.
//   - Collections store references only into new objects of H2, and into slots that are not null.
//
// A slice becomes a null slice if the program allocates an array in H2, or if a marking through H2 finds only nulls
// there. It must be completely inside of an array. No other object can get its place before the region is opened again.
class H2NullSlices {
  static const size_t SliceCards = 64;
  static const size_t SliceWords = SliceCards * CardTable::card_size_in_words;
  // The slices of a page of the card table, or of a part of one.
  static const size_t PageSlices = 4 * K / SliceCards;

  BitMapView _slices;                   // by address

  static size_t index_of(const void* p);
  static HeapWord* start_of(size_t index);
  static bool are_null(HeapWord* start);
  // Whether all cards of the slice are clean. Reads them.
  static bool is_clean(size_t index);

  NONCOPYABLE(H2NullSlices);

 public:
  H2NullSlices();

  // Arrays of less than this size have too few slices.
  static const size_t MinWords = 4 * SliceWords;

  // Called when a run of regions is opened.
  void opened(MemRegion run);
  // Called at a safepoint for an array that is zero.
  void allocated(MemRegion array);
  // Called by the worker that owns the dirty card, before it changes the state.
  void written(const CardTable::CardValue* card) { written_on(index_of_card(card)); }
  // Whether a reference in an array here must be on a card that is not clean.
  bool is_null_at(const void* slot) const        { return _slices.at(index_of(slot)); }

  // Calls function(words) for words that may have references, in a part of an array. Returns the number of words that are
  // left out. If finds_more, no other thread may use these slices or write these words.
  template <typename Function>
  size_t words_do(MemRegion part, bool finds_more, Function function) {
    size_t left_out = 0;
    HeapWord* p = part.start();
    while (p < part.end()) {
      HeapWord* const first = end_of_null(MemRegion(p, part.end()), finds_more);
      left_out += pointer_delta(first, p);
      p = MIN2(end_of_slice(first), part.end());
      if (first < p) {
        function(MemRegion(first, p));
      }
    }
    return left_out;
  }

 private:
  static const CardTable::CardValue* first_card_of(size_t index);
  static size_t index_of_card(const CardTable::CardValue* card);
  void written_on(size_t index)         { _slices.par_clear_bit(index); }
  static HeapWord* end_of_slice(HeapWord* p) { return start_of(index_of(p) + 1); }
  // Returns the end of the null slices with which the range begins. It may begin or end inside of a slice.
  HeapWord* end_of_null(MemRegion range, bool finds_more);
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2NULLSLICES_HPP
