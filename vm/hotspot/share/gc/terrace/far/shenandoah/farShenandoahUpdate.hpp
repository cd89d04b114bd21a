/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHUPDATE_HPP
#define SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHUPDATE_HPP

#include "memory/allocation.hpp"
#include "memory/resourceArea.hpp"
#include "utilities/bitMap.hpp"

class FarRegionSummaries;
class ShenandoahHeapRegion;

// Creates and uses summaries of pages in the concurrent update of references of one region.
//
// A page is left out, and keeps its summary, if it was not written, its marked objects are those of the summary, and no
// target is in the collection set. The check follows the pause that begins the update. From then on, the program has no
// references into the collection set that it could write to the page.
//
// The references of the other pages are updated first, part by part. The pages of the part are then watched, and read again
// for their summaries. So a summary has the updated references, and any later write to the page is noticed. Objects may cross
// to the next page, which must be watched too. So the last page of a part is summarized after the next part is watched.
class FarShenandoahUpdate : public StackObj {
  ResourceMark                _rm;
  ShenandoahHeapRegion* const _region;
  HeapWord* const             _limit;  // of the update
  const bool                  _is_on;
  const size_t                _first;  // page at the bottom of the region
  FarRegionSummaries*         _before; // summaries of the last cycle, or NULL
  ResourceBitMap              _left_out;
  ResourceBitMap              _written; // before the update has watched them
  ResourceBitMap              _watched;
  size_t                      _next;   // the first page that is not summarized yet
  HeapWord*                   _unmarked; // the first object at or above the top at mark start that is not summarized yet

  bool may_leave_out(size_t page, size_t end) const;
  void summarize(size_t page);
  void keep(size_t page);
  void verify(size_t page, const u1* bytes, size_t size) const;

 public:
  FarShenandoahUpdate(ShenandoahHeapRegion* region, HeapWord* limit);
  ~FarShenandoahUpdate();

  bool leaves_out(const void* p) const;
  // Called when the references of the part have been updated.
  void end_part(HeapWord* from, HeapWord* to);
};

#endif // SHARE_GC_TERRACE_FAR_SHENANDOAH_FARSHENANDOAHUPDATE_HPP
