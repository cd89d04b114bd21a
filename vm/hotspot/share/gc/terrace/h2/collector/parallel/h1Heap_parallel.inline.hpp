/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1HEAP_PARALLEL_INLINE_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1HEAP_PARALLEL_INLINE_HPP

#include "gc/terrace/h2/collector/h1Heap.hpp"

#include "gc/parallel/parallelScavengeHeap.inline.hpp"
#include "gc/parallel/psCardTable.hpp"

inline CardTable* H1Heap::card_table() {
  return ParallelScavengeHeap::heap()->card_table();
}

inline CardTable::CardValue H1Heap::young_card_val() {
  return PSCardTable::youngergen_card_val();
}

inline bool H1Heap::is_in_young(oop obj) {
  return ParallelScavengeHeap::heap()->is_in_young(obj);
}

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1HEAP_PARALLEL_INLINE_HPP
