/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_H1HEAP_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_H1HEAP_HPP

#include "gc/shared/cardTable.hpp"
#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

class ObjectClosure;
class WorkGang;

// The generations of H1, as H2 needs to know them. Each collector that supports H2 implements this class in a
// folder of its own. The class does not repeat what CollectedHeap tells about any collector.
class H1Heap : public AllStatic {
 public:
  // A contiguous space in which objects are allocated upwards.
  struct Space {
    HeapWord* bottom;
    HeapWord* top;
    HeapWord* end;
  };

  static MemRegion reserved();
  // The table has the cards of H2 too.
  static inline CardTable* card_table();
  // The value that the collector writes on a card when it leaves a reference into the young generation there.
  static inline CardTable::CardValue young_card_val();

  static WorkGang* workers();
  // The number of workers that take part in this collection.
  static uint active_workers();
  // The number of major collections so far.
  static uint major_collections();

  static size_t max_old_bytes();
  static size_t used_old_bytes();
  static size_t max_young_bytes();

  static Space old_space();
  static Space eden_space();

  static inline bool is_in_young(oop obj);
  static bool is_in_old(const void* p);

  // Applies cl to the objects of H1. The heap must be parsable.
  static void objects_do(ObjectClosure* cl);
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_H1HEAP_HPP
