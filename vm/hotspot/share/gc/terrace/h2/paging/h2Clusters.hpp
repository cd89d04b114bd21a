/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2CLUSTERS_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2CLUSTERS_HPP

#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;

// The clusters of a region. A cluster contains the objects that were reached from one root. Small
// roots share one cluster. A cluster that does not fit continues at the bottom of another region.
//
// Clusters are only advice. They predict which parts of a structure a program will read next. They
// change only at safepoints.
class H2Clusters {
  GrowableArray<uint>* _begins;         // offsets in words in ascending order, without the offset 0
  uint                 _next;           // 1 + index of the head of a region, or 0 if there is none
  uint                 _previous;

  static H2Clusters*   _of_regions;

  void release();
  MemRegion piece(const H2Region* r, const HeapWord* p) const;

 public:
  // Roots with less data share a cluster.
  static const size_t MinBytes = 256 * K;

  static void initialize(uint region_count);
  // All fields are zero in a region without clusters.
  static H2Clusters& of(const H2Region* r);
  static void closed(const H2Region* r);

  // Objects that are added to r from now on belong to another root than those before.
  static void begin(H2Region* r);
  // The cluster at the end of one region continues in the other one.
  static void link(H2Region* from, H2Region* to);

  // Whether a cluster continues from here in another region, or from another region here.
  bool is_linked() const                { return _next != 0 || _previous != 0; }
  // Whether the last cluster continues in another region.
  bool goes_on() const                  { return _next != 0; }
  // Forgets clusters above the top of r.
  static void cut(H2Region* r);

  // Appends the pieces of the cluster of the object at p in order, up to about limit bytes.
  static void pieces_of(const HeapWord* p, size_t limit, GrowableArray<MemRegion>* pieces);
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2CLUSTERS_HPP
