/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/terrace/far/g1/farArrays.hpp"
#include "oops/objArrayOop.hpp"
#include "oops/oop.inline.hpp"

// An old mark may remain above the top at mark start, because the region was freed and used again.
bool FarArrays::is_marked(const HeapRegion* region, const G1CMBitMap* bitmap) {
  return region->is_humongous() && region->prev_top_at_mark_start() > region->bottom() &&
         bitmap->is_marked(region->humongous_start_region()->bottom());
}

objArrayOop FarArrays::array_of(const HeapRegion* region, const G1CMBitMap* bitmap) {
  if (!is_marked(region, bitmap)) {
    return NULL;
  }
  const oop obj = cast_to_oop(region->humongous_start_region()->bottom());
  return objArrayOop(obj->is_objArray() ? obj : oop(NULL));
}
