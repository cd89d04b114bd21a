/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_H1COMPACTION_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_H1COMPACTION_HPP

#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"

// The compaction of H1 in a major collection. Between marking and the summary, the first functions change the counts
// of live words. From the summary on, the others return the new addresses of objects. Each collector that supports H2
// implements this class.
class H1Compaction : public AllStatic {
 public:
  // The collector counts live words in units of H1. Different workers may change the marks and counts of
  // different units.
  static size_t unit_of(const HeapWord* p);
  static MemRegion unit(size_t index);
  // Subtracts words that were live in a unit, whose marks are clear. An object that began before the unit counts too.
  // is_moving tells whether an object moves to H2.
  typedef bool (*IsMoving)(const HeapWord* p);
  static void subtract(size_t index, size_t words, IsMoving is_moving);
  // The live words of all units.
  static size_t live_words();

  // Whether an object of the old generation keeps its address, and so does each object below it.
  static inline bool stays(const HeapWord* p);
  // Returns the address after compaction that corresponds to p in the old generation. It may be slightly too low.
  static HeapWord* new_place(HeapWord* p);
  static HeapWord* new_old_top();
  static HeapWord* new_eden_top();
  // Whether no object remains in the young generation.
  static bool empties_young();
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_H1COMPACTION_HPP
