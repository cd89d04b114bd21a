/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2MAJORCOLLECTION_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2MAJORCOLLECTION_HPP

#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "memory/referenceType.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

class ParCompactionManager;
class ReferenceDiscoverer;

// The part of H2 in a major collection of ParallelGC, in the order of the calls.
class H2MajorCollection : public AllStatic {
  static void mark(oop obj);

 public:
  // last_resort says that no later collection can free more.
  static void begin(bool last_resort);
  // Returns true if obj is in H2. Its region is then marked live, and no further work is needed.
  static bool marked(oop obj) {
    if (!H2Range::contains(obj)) {
      return false;
    }
    mark(obj);
    return true;
  }
  // Follows regions that have become live. Called whenever a marking stack has run empty.
  static void follow(ParCompactionManager* cm);
  // The number of tasks of follow() that idle workers can take.
  static size_t marking_tasks();
  static bool is_live(const void* p);
  // Discovers a reference whose referent is in H2. It does not load the referent's header, which may be on the
  // device.
  static bool discover(ReferenceDiscoverer* discoverer, oop reference, ReferenceType type);
  // Frees dead regions and moves objects to H2. Called when marking and reference processing have ended.
  static void end_marking();
  // Adjusts slots of H2 that refer to H1. Called by every worker.
  static void adjust(ParCompactionManager* cm);
  // Called after compaction.
  static void end();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2MAJORCOLLECTION_HPP
