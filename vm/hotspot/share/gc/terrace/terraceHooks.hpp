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

#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "memory/referenceType.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

// The functions that upstream code calls. Every hook in an upstream file is one line that calls this class. It
// is wrapped in TERRACE_ONLY, so that it vanishes with INCLUDE_TERRACE=0. The class has no state. With H2 off,
// the range of H2 is empty, and the inline tests cost one compare.

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
  static HeapWord* new_location(HeapWord* addr);
  static HeapWord* location_in_h2(HeapWord* addr);
  static void      mark_slow(oop obj);
  static void      mark_live_regions_slow(ParCompactionManager* cm);
  static size_t    marking_tasks_slow();
  static bool      is_live_slow(const void* p);
  static bool      is_in_h2_slow(const void* p);
  static bool      has_freed_little_slow();

 public:
  static bool is_h2_enabled()              { return !H2Range::is_empty(); }
  static bool is_in_h2_range(const void* p) { return H2Range::contains(p); }
  static bool is_in_h2_range(oop obj)       { return H2Range::contains(obj); }
  // p lies in the used part of an H2 region.
  static bool is_in_h2(const void* p)      { return is_in_h2_slow(p); }

  // Start-up, in this order.
  static void   select_collector();                  // GCConfig::initialize
  static size_t with_explicit_h2_size(size_t displacement);
                                                     // Arguments::max_heap_for_compressed_oops
  static size_t total_reserved(size_t h1_byte_size); // Universe::reserve_heap
  static void   split_reserved(ReservedSpace& whole, MemRegion& h1);
                                                     // ParallelScavengeHeap::initialize
  static void   initialize_h2();                     // likewise, after the card table and H1 exist

  // Allocation. Whether an object of this size exceeds an empty H1, but may fit into H2.
  static bool is_for_h2(size_t words);               // ParallelScavengeHeap::mem_allocate
  // Called after an allocation in H1 has failed. Returns zeroed memory or NULL. The caller must
  // initialize the header before it reaches a safepoint.
  static HeapWord* allocate_in_h2(Klass* k, size_t words);
                                                     // MemAllocator::allocate_outside_tlab

  // The number of ParallelGC threads on which a collection can rely. Upstream's minor collection does not check
  // how many threads could be created, and waits forever for missing ones. It still does so if Terrace's flags
  // are off.
  static uint created_workers(uint wanted);

  // Minor collection.
  static void before_scavenge();
  static void scavenge_h2(PSPromotionManager* pm);   // by every worker

  // Major collection, in the order of their calls.
  // last_resort says that no later collection can free more.
  static void before_marking(bool last_resort);
  // Returns true if obj is in H2. Its region is then marked live, and no further work is needed.
  static bool marked_in_h2(oop obj) {
    if (!H2Range::contains(obj)) {
      return false;
    }
    mark_slow(obj);
    return true;
  }
  // Called whenever a marking stack has run empty.
  static void mark_live_regions(ParCompactionManager* cm) {
    if (is_h2_enabled()) {
      mark_live_regions_slow(cm);
    }
  }
  // The number of tasks of mark_live_regions that idle workers can take.
  static size_t marking_tasks()            { return is_h2_enabled() ? marking_tasks_slow() : 0; }
  static bool is_live_in_h2(const void* p) { return is_live_slow(p); }
  // Discovers a reference whose referent is in H2. It does not load the referent's header, which may be on the
  // device.
  static bool discover_in_h2(ReferenceDiscoverer* discoverer, oop reference, ReferenceType type);
  static void after_marking(ParCompactionManager* cm);
  // Returns true if addr is in H2 or moves there, and sets result to the new location.
  static bool relocate(HeapWord* addr, HeapWord*& result) {
    if (H2Range::contains(addr)) {
      result = H2Range::may_leave(addr) ? location_in_h2(addr) : addr;
      return true;
    }
    if (H2Range::may_move(addr)) {
      HeapWord* const to = new_location(addr);
      if (to != NULL) {
        result = to;
        return true;
      }
    }
    return false;
  }
  static void adjust_h2(ParCompactionManager* cm);   // by every worker
  static void after_compaction();
  // Whether this collection freed so little that both heaps count as full.
  static bool has_freed_little()           { return is_h2_enabled() && has_freed_little_slow(); }
  // The milliseconds for which a soft reference may be unused. The argument is the limit for H1 alone.
  static jlong soft_reference_millis(jlong millis);

  // Called in the signal handler. Stops the VM if the device cannot deliver or store a page of H2. Upstream
  // would take some of these faults for errors of Unsafe, and continue after the instruction.
  static void check_fault(Thread* thread, int sig, address pc, void* siginfo, void* context);

  // Heap walking, verification, printing.
  static void      object_iterate(ObjectClosure* cl);
  // Applies cl to the ownable synchronizers that a thread may own, for a thread dump with locks.
  // Returns false if k is another class, or H2 is off.
  static bool      find_synchronizers(const Klass* k, ObjectClosure* cl);
  static HeapWord* block_start(const void* addr);
  static void      verify();
  static void      print_on(outputStream* st);

  // The native methods of org.terrace.SecondHeap, FarMemory and GCThreads, for any defining class loader.
  static address lookup_native(const Method* method);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_TERRACEHOOKS_HPP
