/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2CLUSTERS_HPP
#define SHARE_GC_TERRACE_H2_H2CLUSTERS_HPP

#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;

// Where in a region lies what was reached from one root: its cluster. Small
// roots share one. A cluster that did not fit continues at the bottom of
// another region.
//
// Advice only: it tells what a program that has begun to read a structure will
// read next. Changes at a safepoint.
class H2Clusters {
  GrowableArray<uint>* _begins;         // offsets in words, ascending; besides 0
  uint                 _next;           // 1 + index of the head of a region; 0: none
  uint                 _previous;

  MemRegion piece(const H2Region* r, const HeapWord* p) const;

 public:
  // Smaller roots share a cluster.
  static const size_t MinBytes = 256 * K;

  // All zeroes is a region without clusters.
  void release();

  // What r takes from now on is of another root than what it took before.
  static void begin(H2Region* r);
  // The root's cluster goes on from the end of one region in another.
  static void link(H2Region* from, H2Region* to);

  // A cluster goes on from here in another region, or from another region here.
  bool is_linked() const                { return _next != 0 || _previous != 0; }
  // One that is at its end goes on elsewhere.
  bool goes_on() const                  { return _next != 0; }
  // Forgets what r took beyond its top.
  static void cut(H2Region* r);

  // Appends the cluster of the object at p, in order, up to about limit bytes.
  static void pieces_of(const HeapWord* p, size_t limit, GrowableArray<MemRegion>* pieces);
};

#endif // SHARE_GC_TERRACE_H2_H2CLUSTERS_HPP
