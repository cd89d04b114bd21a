/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARSUMMARYMARKING_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARSUMMARYMARKING_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.inline.hpp"

class G1CMTask;
class G1ConcurrentMark;
class HeapRegion;
struct FarCounts;

// Marks pages from their summaries. The set of these pages is fixed when marking begins. It
// contains the unwritten pages that are absent now, or were absent at the end of the previous
// cycle. The latter are in memory only for a short time, and would be absent again before marking
// reaches them. When marking reaches an object on such a page, it marks all objects that the
// previous cycle has marked there, and the targets in the page's summary. Objects on such a page
// are never scanned, even if it becomes present. If the summary names a page of targets, marking
// marks all objects that the previous cycle has marked on it, once in a cycle. They may have died
// meanwhile, but they refer only to objects that still exist. It does not mark the referents of
// java.lang.ref.Reference objects (FarReferents).
//
// Writes after the check do not matter, because marking uses the snapshot at its beginning, and the
// snapshot is taken before the check.
class FarSummaryMarking : public AllStatic {
  static FarBits         _pages;
  static FarBits         _away;        // pages that were absent at the end of the previous cycle
  static FarBits         _reached;
  static FarBits         _targets;     // pages of targets whose objects are all marked
  static FarBits         _pending;     // reached but not marked yet
  static volatile size_t _pending_count;
  static volatile size_t _cursor;
  static size_t          _page_count;
  static G1ConcurrentMark* _cm;

  static size_t next_candidate(size_t page, size_t limit);
  static void select_of(HeapRegion* region, BitMap& written);
  static void reach_if_deferred(size_t page);
  static void reach_slow(size_t page);
  static void mark(G1CMTask* task, size_t page, FarCounts& counts);
  static void mark_targets(G1CMTask* task, size_t page);

 public:
  // Returns false if there is no memory.
  static bool initialize();

  // Called around marking. In between, the set of pages does not change.
  static void begin(G1ConcurrentMark* cm);
  static void end(bool is_complete);
  // Called at the end of a cycle, when the map of absent pages has just been refreshed.
  static void note_absent();

  static bool contains(size_t page)    { return _pages.at(page); }
  static void reach(size_t page) {
    if (!_reached.at(page)) {
      reach_slow(page);
    }
  }

  // Whether the worker must stop draining.
  static bool should_stop(G1CMTask* task);
  static bool has_pending()            { return Atomic::load_acquire(&_pending_count) != 0; }
  // Marks pending pages in address order, until the worker must stop.
  static void drain(G1CMTask* task, FarCounts& counts);
  // Scans a part of a humongous array, except the pages of the set, which it reaches. Returns false
  // if there are none, so the caller must scan the part.
  static bool scan(G1CMTask* task, objArrayOop array, MemRegion part);
  static size_t page_count()           { return _page_count; }
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARSUMMARYMARKING_HPP
