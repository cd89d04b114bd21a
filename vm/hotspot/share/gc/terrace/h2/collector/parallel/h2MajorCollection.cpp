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
#include "gc/shared/collectedHeap.hpp"
#include "gc/shared/referenceDiscoverer.hpp"
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/collector/h1Workers.inline.hpp"
#include "gc/terrace/h2/collector/parallel/h1Workers_parallel.hpp"
#include "gc/terrace/h2/collector/parallel/h2DensePrefix.hpp"
#include "gc/terrace/h2/collector/parallel/h2MajorCollection.hpp"
#include "gc/terrace/h2/collector/parallel/h2Overhead.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarking.hpp"
#include "gc/terrace/h2/paging/h2PauseReads.hpp"
#include "gc/terrace/h2/paging/h2UnusedHeap.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.hpp"
#include "gc/terrace/h2/transfer/h2Pretenuring.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "oops/oop.inline.hpp"

void H2MajorCollection::begin(bool last_resort) {
  H2PauseReads::begin();
  H2AheadMarker::stop_marking();
  H2CardPages::of_h2().find_written();
  H2Transfer::of_h2().begin_collection(last_resort && !H2Pretenuring::of_h2().is_collecting());
  H2Overhead::of_h2().begin_collection();
  H2DensePrefix::begin_collection(last_resort);
  H2Heap::heap().reset_liveness();
  H2Dependencies::of_h2().prepare_marking();
  H2Cards::of_h2().collect_static_objects();
  const H2DeepMarkingTrigger::Collection collection = {
    Universe::heap()->gc_cause(), last_resort, last_resort && H2Pretenuring::is_failed_allocation_too_large(),
    H2Transfer::of_h2().goal_millis()
  };
  H2DeepMarking::of_h2().begin_if_due(collection);
  H2Owners::of_h2().begin_marking(H2DeepMarking::of_h2().is_active());
}

void H2MajorCollection::mark(oop obj) {
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

void H2MajorCollection::follow(ParCompactionManager* cm) {
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

size_t H2MajorCollection::marking_tasks() {
  return H2Heap::heap().newly_live_count() + H2DeepMarking::of_h2().queued_count();
}

bool H2MajorCollection::is_live(const void* p) {
  return H2DeepMarking::of_h2().is_active() ? H2DeepMarking::is_marked(p) : H2Heap::head_of(p)->is_live();
}

bool H2MajorCollection::discover(ReferenceDiscoverer* discoverer, oop reference, ReferenceType type) {
  if (!H2Owners::of_h2().is_counting()) {
    return false;               // in a minor collection, all of H2 counts as live
  }
  H2Owners::of_h2().found(reference, type);
  oop referent = java_lang_ref_Reference::unknown_referent_no_keepalive(reference);
  return !is_live(cast_from_oop<void*>(referent)) && discoverer->discover_reference(reference, type);
}

void H2MajorCollection::end_marking() {
  guarantee(marking_tasks() == 0, "marking ended before a live H2 region was followed");
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
  H2Cards::of_h2().collect_static_objects();
  H2CardPages::of_h2().find_written();          // by the transfer
  H2Cards::of_h2().reset_claims();
}

void H2MajorCollection::adjust(ParCompactionManager* cm) {
  H1ParallelAdjustWorker worker(cm);
  H2Cards::of_h2().adjust(&worker, [](const HeapWord* p) { return H2Forwarding::of_h2().is_moving(p); });
}

void H2MajorCollection::end() {
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
