/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2FORWARDING_INLINE_HPP
#define SHARE_GC_TERRACE_H2_H2FORWARDING_INLINE_HPP

#include "gc/terrace/h2/h2Forwarding.hpp"

#include "gc/parallel/parMarkBitMap.inline.hpp"
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "oops/oop.inline.hpp"

// Calls function(object, size in words) for the moving objects that start in a
// block. They must still be marked. To ask the mark bitmap for their size
// would take time in proportion to it.
template <typename Function>
inline void H2Forwarding::objects_in_block_do(size_t block, Function function) {
  const ParMarkBitMap* const marks = PSParallelCompact::mark_bitmap();
  HeapWord* p = block_start(block);
  HeapWord* const end = p + BlockWords;
  while (p < end && (p = marks->find_obj_beg(p, end)) < end) {
    const size_t size = cast_to_oop(p)->size();
    if (is_moving(p)) {
      function(p, size);
    }
    p += size;
  }
}

#endif // SHARE_GC_TERRACE_H2_H2FORWARDING_INLINE_HPP
