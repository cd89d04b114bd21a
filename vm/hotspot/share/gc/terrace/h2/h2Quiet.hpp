/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2QUIET_HPP
#define SHARE_GC_TERRACE_H2_H2QUIET_HPP

#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"

// Which objects of the old generation the program has not written since the last
// major collection, by the cards that minor ones found dirty. They are looked at
// only after a major collection that found more than the low threshold live; a
// minor collection reads the same cards once more for it.
class H2Quiet : public AllStatic {
  static BitMapView _written;           // by card of H1
  static HeapWord*  _bottom;
  static HeapWord*  _end_of_written;    // no bit above is set
  static bool       _is_watching;
  // A compaction that leaves objects in the young generation makes all cards
  // dirty: until a minor collection has read them, they tell nothing.
  static bool       _do_cards_tell;
  // Since the last major collection.
  static bool       _has_seen;

  static void look();

  static size_t bit_of(const HeapWord* p);

 public:
  static void initialize(MemRegion h1);

  static void before_scavenge();
  // Whether what is written may be of interest at the next major collection.
  static void begin_selection(bool is_of_interest);
  static void end_major_collection(bool is_young_empty);

  // Whether is_quiet() tells anything.
  static bool is_known()                { return _has_seen; }
  static bool is_quiet(const HeapWord* p, size_t size);
};

#endif // SHARE_GC_TERRACE_H2_H2QUIET_HPP
