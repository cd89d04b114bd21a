/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACEHOOKS_HPP
#define SHARE_GC_TERRACE_TERRACEHOOKS_HPP

#include "gc/terrace/h2/collector/parallel/h2MajorCollection.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/transfer/h2Relocation.hpp"
#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "memory/referenceType.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

// The table of the functions that upstream code calls. Most hooks in upstream files are one line that calls this
// class. It is wrapped in TERRACE_ONLY, so that it vanishes with INCLUDE_TERRACE=0. Each function forwards to the
// room that does the work, where its contract is described. docs/internals/hooks.md lists the classes. With H2 off,
// the range of H2 is empty, and the functions for H2 cost one compare.

#if INCLUDE_TERRACE

class Klass;
class MemRegion;
class Method;
class ObjectClosure;
class outputStream;
class ParCompactionManager;
class PSPromotionManager;
class ReferenceDiscoverer;
class ReservedSpace;
class Thread;

class TerraceHooks : public AllStatic {
  static bool has_freed_little_in_h2();

 public:
  // All capabilities.

  // Checks the flags and selects the collector.
  static void    select_collector();
  static address lookup_native(const Method* method);

  // GC threads.

  static uint created_workers(uint wanted);

  // The second heap, its range.

  static bool is_h2_enabled()               { return !H2Range::is_empty(); }
  static bool is_in_h2_range(const void* p) { return H2Range::contains(p); }
  static bool is_in_h2_range(oop obj)       { return H2Range::contains(obj); }
  // p lies in the used part of an H2 region.
  static bool is_in_h2(const void* p);

  // The second heap, start-up, in this order, after select_collector.

  static size_t with_explicit_h2_size(size_t displacement);
  static size_t total_reserved(size_t h1_byte_size);
  static void   split_reserved(ReservedSpace& whole, MemRegion& h1);
  static void   initialize_h2();

  // The second heap, allocation.

  // Whether an object of this size exceeds an empty H1, but may fit into H2.
  static bool is_for_h2(size_t words);
  // Called after an allocation in H1 has failed. Returns zeroed memory or NULL. The caller must initialize the header
  // before it reaches a safepoint.
  static HeapWord* allocate_in_h2(Klass* k, size_t words);

  // The second heap, minor collection.

  static void before_scavenge();
  static void scavenge_h2(PSPromotionManager* pm);

  // The second heap, major collection, in the order of the calls.

  static void   before_marking(bool last_resort);
  static bool   marked_in_h2(oop obj)       { return H2MajorCollection::marked(obj); }
  static void   mark_live_regions(ParCompactionManager* cm) {
    if (is_h2_enabled()) {
      H2MajorCollection::follow(cm);
    }
  }
  static size_t marking_tasks()             { return is_h2_enabled() ? H2MajorCollection::marking_tasks() : 0; }
  static bool   is_live_in_h2(const void* p) { return H2MajorCollection::is_live(p); }
  static bool   discover_in_h2(ReferenceDiscoverer* discoverer, oop reference, ReferenceType type);
  static void   after_marking(ParCompactionManager* cm);
  static bool   relocate(HeapWord* addr, HeapWord*& result) { return H2Relocation::find(addr, result); }
  static void   adjust_h2(ParCompactionManager* cm);
  static void   after_compaction();

  // The second heap, limits on collections.

  // Whether this collection freed so little that both heaps count as full.
  static bool  has_freed_little()           { return is_h2_enabled() && has_freed_little_in_h2(); }
  static jlong soft_reference_millis(jlong millis);

  // The second heap, errors of the device. This is called in the signal handler.

  static void check_fault(Thread* thread, int sig, address pc, void* siginfo, void* context);

  // The second heap, walking, verification, printing.

  static void      object_iterate(ObjectClosure* cl);
  // Returns false if H2 is off, too.
  static bool      find_synchronizers(const Klass* k, ObjectClosure* cl);
  static HeapWord* block_start(const void* addr);
  static void      verify();
  static void      print_on(outputStream* st);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_TERRACEHOOKS_HPP
