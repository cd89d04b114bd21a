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
#include "gc/terrace/h2/collector/parallel/h2MinorCollection.hpp"
#include "gc/terrace/h2/collector/parallel/h2Overhead.hpp"
#include "gc/terrace/h2/collector/parallel/h2Start.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/report/h2DeviceFault.hpp"
#include "gc/terrace/h2/report/h2Verifier.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/transfer/h2Pretenuring.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/terraceArguments.hpp"
#include "gc/terrace/terraceHooks.hpp"
#include "gc/terrace/terraceNatives.hpp"
#include "gc/terrace/threads/createdWorkers.hpp"

// Each function is a guard for H2, if it needs one, and calls. tools/test/tree/test_doors.py checks this.

// All capabilities.

void TerraceHooks::select_collector() {
  TerraceArguments::initialize();
}

address TerraceHooks::lookup_native(const Method* method) {
  return TerraceNatives::lookup(method);
}

// GC threads.

uint TerraceHooks::created_workers(uint wanted) {
  return CreatedWorkers::count(wanted);
}

// The second heap, its range.

bool TerraceHooks::is_in_h2(const void* p) {
  return H2Heap::heap().is_in_used(p);
}

// The second heap, start-up.

size_t TerraceHooks::with_explicit_h2_size(size_t displacement) {
  return TerraceArguments::with_explicit_h2_size(displacement);
}

size_t TerraceHooks::total_reserved(size_t h1_byte_size) {
  return TerraceArguments::total_reserved(h1_byte_size);
}

void TerraceHooks::split_reserved(ReservedSpace& whole, MemRegion& h1) {
  H2Start::split(whole, TerraceArguments::h2_size(), h1);
}

void TerraceHooks::initialize_h2() {
  if (is_h2_enabled()) {
    H2Start::initialize();
  }
}

// The second heap, allocation.

bool TerraceHooks::is_for_h2(size_t words) {
  return H2Pretenuring::is_for_h2(words);
}

HeapWord* TerraceHooks::allocate_in_h2(Klass* k, size_t words) {
  return H2Pretenuring::allocate(k, words);
}

// The second heap, minor collection.

void TerraceHooks::before_scavenge() {
  if (is_h2_enabled()) {
    H2Verifier::verify_before("minor");
    H2MinorCollection::begin();
  }
}

void TerraceHooks::scavenge_h2(PSPromotionManager* pm) {
  if (is_h2_enabled()) {
    H2MinorCollection::scavenge(pm);
  }
}

// The second heap, major collection.

void TerraceHooks::before_marking(bool last_resort) {
  if (is_h2_enabled()) {
    H2Verifier::verify_before("major");
    H2MajorCollection::begin(last_resort);
  }
}

bool TerraceHooks::discover_in_h2(ReferenceDiscoverer* discoverer, oop reference, ReferenceType type) {
  return H2MajorCollection::discover(discoverer, reference, type);
}

void TerraceHooks::after_marking(ParCompactionManager* cm) {
  if (is_h2_enabled()) {
    H2MajorCollection::end_marking();
  }
}

void TerraceHooks::adjust_h2(ParCompactionManager* cm) {
  if (is_h2_enabled()) {
    H2MajorCollection::adjust(cm);
  }
}

void TerraceHooks::after_compaction() {
  if (is_h2_enabled()) {
    H2MajorCollection::end();
  }
}

// The second heap, limits on collections.

bool TerraceHooks::has_freed_little_in_h2() {
  return H2Overhead::of_h2().has_freed_little();
}

jlong TerraceHooks::soft_reference_millis(jlong millis) {
  return is_h2_enabled() ? H2Unhinted::of_h2().soft_reference_millis(millis) : millis;
}

// The second heap, errors of the device.

void TerraceHooks::check_fault(Thread* thread, int sig, address pc, void* siginfo, void* context) {
  if (is_h2_enabled()) {
    H2DeviceFault::check(thread, sig, pc, siginfo, context);
  }
}

// The second heap, walking, verification, printing.

void TerraceHooks::object_iterate(ObjectClosure* cl) {
  if (is_h2_enabled()) {
    H2LiveMap::of_h2().objects_do(cl);
  }
}

bool TerraceHooks::find_synchronizers(const Klass* k, ObjectClosure* cl) {
  return is_h2_enabled() && H2Synchronizers::find(k, cl);
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
