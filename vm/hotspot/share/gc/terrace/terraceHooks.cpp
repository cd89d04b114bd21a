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
#include "classfile/javaClasses.inline.hpp"
#include "classfile/vmClasses.hpp"
#include "gc/shared/collectedHeap.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/referenceDiscoverer.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/collector/h1Workers.inline.hpp"
#include "gc/terrace/h2/collector/parallel/h1Workers_parallel.hpp"
#include "gc/terrace/h2/collector/parallel/h2DensePrefix.hpp"
#include "gc/terrace/h2/collector/parallel/h2Overhead.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2LivenessOfRegions.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarking.hpp"
#include "gc/terrace/h2/paging/h2PagingOfRegions.hpp"
#include "gc/terrace/h2/paging/h2PauseReads.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/paging/h2UnusedHeap.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/report/h2Verifier.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2LockedMemory.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2/space/storage/h2WritebackChecker.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.hpp"
#include "gc/terrace/h2/transfer/h2Pretenuring.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceArguments.hpp"
#include "gc/terrace/terraceHooks.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "memory/virtualspace.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/vmError.hpp"

bool TerraceHooks::is_in_h2_slow(const void* p) {
  return H2Heap::heap().is_in_used(p);
}

// Start-up.

void TerraceHooks::select_collector() {
  TerraceArguments::initialize();
}

size_t TerraceHooks::with_explicit_h2_size(size_t displacement) {
  return TerraceArguments::with_explicit_h2_size(displacement);
}

size_t TerraceHooks::total_reserved(size_t h1_byte_size) {
  return TerraceArguments::total_reserved(h1_byte_size);
}

void TerraceHooks::split_reserved(ReservedSpace& whole, MemRegion& h1) {
  const size_t h2_size = TerraceArguments::h2_size();
  if (h2_size != 0) {
    H2Heap::heap().reserve((HeapWord*)whole.base(), h2_size);
    whole = whole.last_part(h2_size);
    h1 = MemRegion((HeapWord*)whole.base(), (HeapWord*)whole.end());
  }
}

void TerraceHooks::initialize_h2() {
  if (is_h2_enabled()) {
    H2Heap::heap().initialize(H2ReadModes::are_found_out());
    H2Heap::heap().add_listener(new H2PagingOfRegions(H2Heap::region_count()));
    H2Heap::heap().add_listener(new H2LivenessOfRegions(H2Heap::region_count()));
    H2Marks::initialize();
    H2LiveMap::initialize();
    H2CardPages::initialize();
    H2Cards::initialize();
    H2Owners::initialize();
    H2Transfer::initialize();
    H2UnusedHeap::initialize();
    H2WritebackChecker::start(H2LiveMap::writeback_error);
    H2Unlocker::start();
    H2Waits::start();
    H2AheadMarker::initialize();
  }
}

// Allocation.

bool TerraceHooks::is_for_h2(size_t words) {
  return H2Pretenuring::is_for_h2(words);
}

HeapWord* TerraceHooks::allocate_in_h2(Klass* k, size_t words) {
  return H2Pretenuring::allocate(k, words);
}

uint TerraceHooks::created_workers(uint wanted) {
  if (!UseParallelGC || (!is_h2_enabled() && !TerraceGang::is_enabled())) {
    return wanted;
  }
  static bool has_warned = false;
  const uint created = H1Heap::workers()->update_active_workers(wanted);
  if (created < wanted && !has_warned) {
    log_warning(gc, task)("Only %u of %u GC threads could be created; collections go on with those. Raise the limit on threads or "
                          "memory (ulimit -u, pids.max), or choose a smaller ParallelGCThreads", created, wanted);
    has_warned = true;
  }
  return created;
}

// Minor collection.

void TerraceHooks::before_scavenge() {
  if (is_h2_enabled()) {
    if (VerifyH2) {
      H2Verifier::verify("before minor collection");
    }
    H2PauseReads::begin();
    H2Unhinted::of_h2().before_scavenge();
    H2CardPages::of_h2().begin_scavenge();
    H2Cards::of_h2().reset_claims();
  }
}

void TerraceHooks::scavenge_h2(PSPromotionManager* pm) {
  if (is_h2_enabled()) {
    H1ParallelScavengeWorker worker(pm);
    H2Cards::of_h2().scavenge(&worker);
  }
}

// Major collection.

void TerraceHooks::before_marking(bool last_resort) {
  if (is_h2_enabled()) {
    if (VerifyH2) {
      H2Verifier::verify("before major collection");
    }
    H2PauseReads::begin();
    H2AheadMarker::stop_marking();
    H2CardPages::of_h2().find_written();
    H2Transfer::of_h2().begin_collection(last_resort && !H2Pretenuring::of_h2().is_collecting());
    H2Overhead::of_h2().begin_collection();
    H2DensePrefix::begin_collection(last_resort);
    H2Heap::heap().reset_liveness();
    H2Dependencies::of_h2().prepare_marking();
    H2Cards::of_h2().find_statics();
    const H2DeepMarkingTrigger::Collection collection = {
      Universe::heap()->gc_cause(), last_resort, last_resort && H2Pretenuring::is_failed_allocation_too_large(),
      H2Transfer::of_h2().goal_millis()
    };
    H2DeepMarking::of_h2().begin_if_due(collection);
    H2Owners::of_h2().begin_marking(H2DeepMarking::of_h2().is_active());
  }
}

void TerraceHooks::mark_slow(oop obj) {
  const uint head = H2Heap::head_index_of(obj);
  H2Heap::region(head)->hold();
  if (H2DeepMarking::of_h2().is_active()) {
    H2DeepMarking::mark(obj);
  } else {
    H2Heap::heap().mark_live(head);
    if (H2AheadMarker::is_noting()) {
      H2AheadMarker::note_root(obj);
    }
  }
}

void TerraceHooks::mark_live_regions_slow(ParCompactionManager* cm) {
  H1ParallelMarkWorker worker(cm);
  if (H2DeepMarking::of_h2().is_active()) {
    H2DeepMarking::of_h2().follow(&worker);
    return;
  }
  H2Region* r;
  while (worker.is_drained() && (r = H2Heap::heap().claim_newly_live()) != NULL) {
    H2Cards::of_h2().mark_from(r, &worker);
  }
}

size_t TerraceHooks::marking_tasks_slow() {
  return H2Heap::heap().newly_live_count() + H2DeepMarking::of_h2().queued_count();
}

bool TerraceHooks::is_live_slow(const void* p) {
  return H2DeepMarking::of_h2().is_active() ? H2DeepMarking::is_marked(p) : H2Heap::head_of(p)->is_live();
}

bool TerraceHooks::discover_in_h2(ReferenceDiscoverer* discoverer, oop reference, ReferenceType type) {
  if (!H2Owners::of_h2().is_counting()) {
    return false;               // in a minor collection, all of H2 counts as live
  }
  H2Owners::of_h2().found(reference, type);
  oop referent = java_lang_ref_Reference::unknown_referent_no_keepalive(reference);
  return !is_live_slow(cast_from_oop<void*>(referent)) && discoverer->discover_reference(reference, type);
}

void TerraceHooks::after_marking(ParCompactionManager* cm) {
  if (!is_h2_enabled()) {
    return;
  }
  guarantee(marking_tasks_slow() == 0, "marking ended before a live H2 region was followed");
  H2Cards::of_h2().end_marking(H2DeepMarking::of_h2().is_active());
  H2Owners::of_h2().end_marking(Universe::heap()->gc_cause(), H2AheadMarker::is_resumed());
  const jlong start = os::javaTimeNanos();
  const uint freed = H2Heap::heap().free_dead();
  if (freed > 0) {
    H2Overhead::of_h2().freed(freed);
    H2Journal::of_h2().add(H2Journal::RegionsFreed, os::javaTimeNanos() - start, 0, freed * H2RegionSize);
    H2Statistics::add(H2Statistics::FreedRegions, freed);
    log_info(gc, h2)("Freed %u regions, " SIZE_FORMAT "M", freed, freed * (H2RegionSize / M));
  }
  H2DeepMarking::of_h2().finish(H1Heap::workers(), freed, H2Transfer::of_h2().goal_millis());
  H2AheadMarker::before_transfer();
  H2CardPages::of_h2().find_written();          // by evacuation
  H2Transfer::of_h2().run();
  H2Owners::of_h2().count_native(Universe::heap()->gc_cause());
  H2Cards::of_h2().find_statics();
  H2CardPages::of_h2().find_written();          // by the transfer
  H2Cards::of_h2().reset_claims();
}

HeapWord* TerraceHooks::new_location(HeapWord* addr) {
  return H2Forwarding::of_h2().is_moving(addr) ? H2Forwarding::of_h2().destination(addr) : NULL;
}

HeapWord* TerraceHooks::location_in_h2(HeapWord* addr) {
  return H2Evacuation::of_h2().location(addr);
}

void TerraceHooks::adjust_h2(ParCompactionManager* cm) {
  if (is_h2_enabled()) {
    H1ParallelAdjustWorker worker(cm);
    H2Cards::of_h2().adjust(&worker, [](const HeapWord* p) { return H2Forwarding::of_h2().is_moving(p); });
  }
}

void TerraceHooks::after_compaction() {
  if (is_h2_enabled()) {
    H2Forwarding::of_h2().clear();
    const uint freed = H2Evacuation::of_h2().end();
    H2Overhead::of_h2().freed(freed);
    H2Statistics::add(H2Statistics::FreedRegions, freed);
    H2Cards::of_h2().end_major_collection();
    H2Unhinted::of_h2().end_major_collection();
    H2UnusedHeap::of_h2().end_major_collection();
    H2Pretenuring::of_h2().end_major_collection();
    H2Transfer::of_h2().end_collection();
    H2PauseReads::end(H2Statistics::MajorReadBytes);
    H2AheadMarker::start_if_due(H2DeepMarking::of_h2().is_due_next());
    log_info(gc, h2)("H2: " SIZE_FORMAT "M used, %u of %u regions free",
                     H2Heap::heap().used() / M, H2Heap::heap().free_count(), H2Heap::region_count());
    if (TierPlacer::is_enabled()) {
      TierPlacer::collection_ended();
    }
  }
}

bool TerraceHooks::has_freed_little_slow() {
  return H2Overhead::of_h2().has_freed_little();
}

jlong TerraceHooks::soft_reference_millis(jlong millis) {
  if (!is_h2_enabled()) {
    return millis;
  }
  const jlong charged = (jlong)(H2Unhinted::of_h2().softly_held_bytes() / M) * SoftRefLRUPolicyMSPerMB;
  return MAX2(millis - charged, (jlong)0);
}

void TerraceHooks::check_fault(Thread* thread, int sig, address pc, void* siginfo, void* context) {
  const void* const failed = is_h2_enabled() ? H2File::failed_address(sig, siginfo) : NULL;
  if (failed != NULL && (is_in_h2_range(failed) || H2DeepMarking::is_in_marks(failed) ||
                         H2LiveMap::of_h2().marks().contains(failed))) {
    VMError::report_and_die(thread, sig, pc, siginfo, context,
                            "H2: %s: the device could not deliver or store a page. "
                            "Check its free space, the device and its kernel messages", H2Storage::of_h2().flag());
  }
}

// Heap walking, verification, printing.

void TerraceHooks::object_iterate(ObjectClosure* cl) {
  if (is_h2_enabled()) {
    H2LiveMap::of_h2().objects_do(cl);
  }
}

bool TerraceHooks::find_synchronizers(const Klass* k, ObjectClosure* cl) {
  if (!is_h2_enabled() || k != vmClasses::java_util_concurrent_locks_AbstractOwnableSynchronizer_klass()) {
    return false;
  }
  H1Heap::objects_do(cl);
  H2Synchronizers::maybe_owned_do(cl);
  return true;
}

HeapWord* TerraceHooks::block_start(const void* addr) {
  return H2Heap::heap().block_start(addr);
}

void TerraceHooks::verify() {
  if (is_h2_enabled()) {
    H2Verifier::verify("heap verification");
  }
}

void TerraceHooks::print_on(outputStream* st) {
  if (is_h2_enabled()) {
    H2Heap::heap().print_on(st);
  }
}
