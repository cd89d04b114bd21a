/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1MARKS_PARALLEL_INLINE_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1MARKS_PARALLEL_INLINE_HPP

#include "gc/terrace/h2/collector/h1Marks.hpp"

#include "gc/parallel/parMarkBitMap.inline.hpp"
#include "gc/parallel/parallelScavengeHeap.hpp"
#include "gc/parallel/psOldGen.hpp"
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/parallel/psYoungGen.hpp"

inline bool H1Marks::is_marked(oop obj) {
  return PSParallelCompact::mark_bitmap()->is_marked(obj);
}

inline bool H1Marks::is_start(HeapWord* p) {
  return PSParallelCompact::mark_bitmap()->is_marked(p);
}

inline HeapWord* H1Marks::next_start(HeapWord* from, HeapWord* limit) {
  return PSParallelCompact::mark_bitmap()->find_obj_beg(from, limit);
}

inline HeapWord* H1Marks::end_of(HeapWord* p, HeapWord* limit) {
  return p + PSParallelCompact::mark_bitmap()->obj_size(p, PSParallelCompact::mark_bitmap()->find_obj_end(p, limit));
}

inline size_t H1Marks::size_of(HeapWord* start) {
  return PSParallelCompact::mark_bitmap()->obj_size(start);
}

inline HeapWord* H1Marks::limit() {
  return PSParallelCompact::mark_bitmap()->region_end();
}

template <typename Function>
inline void H1Marks::marked_do(Function function) {
  const PSYoungGen* const young = ParallelScavengeHeap::young_gen();
  const MutableSpace* const spaces[] = {
    ParallelScavengeHeap::old_gen()->object_space(), young->eden_space(), young->from_space(), young->to_space()
  };
  for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
    HeapWord* p = spaces[i]->bottom();
    HeapWord* const top = spaces[i]->top();
    while (p < top && (p = next_start(p, top)) < top) {
      const size_t size = size_of(p);
      function(p, size);
      p += size;
    }
  }
}

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1MARKS_PARALLEL_INLINE_HPP
