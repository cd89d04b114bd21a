/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2QUIET_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2QUIET_HPP

#include "memory/memRegion.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"

// Finds the objects of the old generation that the program has not written since the last major
// collection. It uses the cards that minor collections found dirty. It is active only after a major
// collection that found more than the low threshold live. Each minor collection then reads the same
// cards once more.
class H2Quiet {
  BitMapView _written;           // one bit per card of H1
  HeapWord*  _bottom;
  HeapWord*  _end_of_written;    // no bit at or above is set
  bool       _is_watching;
  // Compaction makes all cards dirty if it leaves objects in the young generation. They are
  // meaningless until a minor collection has read them.
  bool       _do_cards_tell;
  // Whether cards have been read since the last major collection.
  bool       _has_seen;

  void look();

  size_t bit_of(const HeapWord* p) const;

 public:
  H2Quiet() :
    _bottom(NULL), _end_of_written(NULL), _is_watching(false), _do_cards_tell(false), _has_seen(false) {}

  void initialize(MemRegion h1);

  void before_scavenge();
  // is_of_interest says whether the next major collection may need to know the written objects.
  void begin_selection(bool is_of_interest);
  void end_major_collection(bool is_young_empty);

  // Whether is_quiet() has a basis.
  bool is_known() const          { return _has_seen; }
  bool is_quiet(const HeapWord* p, size_t size) const;
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2QUIET_HPP
