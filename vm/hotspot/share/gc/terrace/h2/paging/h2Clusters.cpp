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
#include "gc/terrace/h2/paging/h2Clusters.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "memory/allocation.inline.hpp"

H2Clusters* H2Clusters::_of_regions = NULL;

void H2Clusters::initialize(uint region_count) {
  _of_regions = NEW_C_HEAP_ARRAY(H2Clusters, region_count, mtGC);
  memset((void*)_of_regions, 0, region_count * sizeof(H2Clusters));
}

H2Clusters& H2Clusters::of(const H2Region* r) {
  return _of_regions[H2Heap::index_of_region(r)];
}

void H2Clusters::closed(const H2Region* r) {
  H2Clusters& clusters = of(r);
  clusters.release();
  clusters._next = 0;
  clusters._previous = 0;
}

void H2Clusters::release() {
  delete _begins;
  _begins = NULL;
}

void H2Clusters::begin(H2Region* r) {
  H2Clusters& clusters = of(r);
  const size_t offset = pointer_delta(r->top(), H2Heap::bottom_of(r));
  const size_t last = clusters._begins == NULL ? 0 : clusters._begins->last();
  const bool is_continuation = last == 0 && clusters._previous != 0;
  if ((offset - last < MinBytes / HeapWordSize && !is_continuation) || offset > max_juint) {
    return;
  }
  if (clusters._begins == NULL) {
    clusters._begins = new (ResourceObj::C_HEAP, mtGC) GrowableArray<uint>(8, mtGC);
  }
  clusters._begins->append((uint)offset);
}

void H2Clusters::link(H2Region* from, H2Region* to) {
  of(from)._next = H2Heap::index_of_region(to) + 1;
  of(to)._previous = H2Heap::index_of_region(from) + 1;
}

void H2Clusters::cut(H2Region* r) {
  H2Clusters& clusters = of(r);
  const size_t end = pointer_delta(r->top(), H2Heap::bottom_of(r));
  while (clusters._begins != NULL && clusters._begins->is_nonempty() && clusters._begins->last() >= end) {
    clusters._begins->pop();
  }
  if (clusters._begins != NULL && clusters._begins->is_empty()) {
    clusters.release();
  }
  clusters._next = 0;
}

// Returns the part of the cluster at p that is in r.
MemRegion H2Clusters::piece(const H2Region* r, const HeapWord* p) const {
  HeapWord* const bottom = H2Heap::bottom_of(r);
  HeapWord* start = bottom;
  HeapWord* end = r->top();
  for (int i = 0; _begins != NULL && i < _begins->length(); i++) {
    HeapWord* const begin = bottom + _begins->at(i);
    if (begin > p) {
      end = begin;
      break;
    }
    start = begin;
  }
  return MemRegion(start, end);
}

// Returns the region that a link refers to, or NULL if it was freed.
static H2Region* follow(uint link) {
  H2Region* const r = link == 0 ? NULL : H2Heap::region(link - 1);
  return r != NULL && r->is_head() ? r : NULL;
}

void H2Clusters::pieces_of(const HeapWord* p, size_t limit, GrowableArray<MemRegion>* pieces) {
  const H2Region* r = H2Heap::head_of(p);
  MemRegion piece = of(r).piece(r, p);
  // Go back to the start of the cluster. If the other region does not link back, it was freed and
  // reused since.
  size_t back = 0;
  while (piece.start() == H2Heap::bottom_of(r) && back < limit) {
    const H2Region* const before = follow(of(r)._previous);
    if (before == NULL || of(before)._next != H2Heap::index_of_region(r) + 1) {
      break;
    }
    r = before;
    piece = of(r).piece(r, r->top() - 1);
    back += piece.byte_size();
  }
  size_t bytes = 0;
  while (true) {
    pieces->append(piece);
    bytes += piece.byte_size();
    if (piece.end() != r->top() || bytes >= limit) {
      return;
    }
    const H2Region* const after = follow(of(r)._next);
    if (after == NULL || of(after)._previous != H2Heap::index_of_region(r) + 1) {
      return;
    }
    r = after;
    piece = of(r).piece(r, H2Heap::bottom_of(r));
  }
}
