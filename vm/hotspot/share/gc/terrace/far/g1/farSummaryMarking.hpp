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
#include "utilities/globalDefinitions.hpp"

class G1CMTask;
class G1ConcurrentMark;
class HeapRegion;
struct FarCounts;

// Marks pages from their summaries (FarSummarySet). When marking reaches an object on such a page, it
// marks all objects that the previous cycle has marked there, and the targets in the page's summary. If the
// summary names a page of targets, marking marks all objects that the previous cycle has marked on it, once
// in a cycle. They may have died meanwhile, but they refer only to objects that still exist. It does not
// mark the referents of java.lang.ref.Reference objects (FarReferents).
//
// Writes after the check do not matter, because marking uses the snapshot at its beginning, and the
// snapshot is taken before the check.
class FarSummaryMarking : public AllStatic {
  static FarBits           _targets;   // pages of targets whose objects are all marked
  static G1ConcurrentMark* _cm;

  static void select_of(HeapRegion* region, BitMap& written);
  static void reach_if_deferred(size_t page);
  static void mark(G1CMTask* task, size_t page, FarCounts& counts);
  static void mark_targets(G1CMTask* task, size_t page);

 public:
  // Returns false if there is no memory.
  static bool initialize();

  // Called around marking. In between, the set of pages does not change.
  static void begin(G1ConcurrentMark* cm);
  static void end(bool is_complete);

  // Whether the worker must stop draining.
  static bool should_stop(G1CMTask* task);
  // Marks pending pages in address order, until the worker must stop.
  static void drain(G1CMTask* task, FarCounts& counts);
  // Scans a part of a humongous array, except the pages of the set, which it reaches. Returns false
  // if there are none, so the caller must scan the part.
  static bool scan(G1CMTask* task, objArrayOop array, MemRegion part);
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARSUMMARYMARKING_HPP
