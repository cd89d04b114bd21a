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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarkingTrigger.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"

H2DeepMarkingPolicy::Heap H2DeepMarkingTrigger::heap_now() {
  const H2DeepMarkingPolicy::Heap heap = { H2Heap::heap().used() / HeapWordSize, (julong)(os::javaTimeNanos() / NANOSECS_PER_MILLISEC),
                                           &_reading_time };
  return heap;
}

H2DeepMarkingPolicy::Cause H2DeepMarkingTrigger::cause_now(const Collection& collection) {
  const bool is_at_interval = H2DeepMarkingInterval != 0 && ++_collections % H2DeepMarkingInterval == 0;
  const H2DeepMarkingPolicy::Cause cause = {
    collection.is_last_resort, collection.is_too_large,
    GCCause::is_user_requested_gc(collection.cause), H2Owners::is_library_waiting(),
    collection.cause == GCCause::_metadata_GC_threshold, is_at_interval || _is_requested
  };
  _is_requested = false;
  return cause;
}

// The number of class loaders that runs keep. A loader counts once for each run that keeps it.
static size_t class_loader_count() {
  size_t count = 0;
  H2Heap::heap().heads_do([&](H2Region* r) { count += r->class_loader_count(); });
  return count;
}

// Estimates the words of H2 that the program has written since the VM started, from the cards that
// minor collections have scanned.
static size_t written_words() {
  return (size_t)H2Statistics::get(H2Statistics::MinorScannedCards) * CardTable::card_size_in_words;
}

bool H2DeepMarkingTrigger::may_have_much_garbage(const H2DeepMarkingPolicy::Heap& heap, uintx goal_millis) {
  const H2GarbageBound::Limits limits = {
    (uint)H2GarbageThreshold, H2Heap::region_count() * H2Heap::region_words(), (julong)goal_millis
  };
  const julong cost = _policy.cost(heap);
  if (!_garbage_bound.is_due(limits, heap.h2_words, written_words(), heap.now, cost, 0)) {
    return false;
  }
  // The time to read is only estimated if the marking is due otherwise, because that takes time itself.
  const julong reading = _reading_time.millis();
  const bool is_due = reading <= cost || _garbage_bound.is_due(limits, heap.h2_words, written_words(), heap.now, cost, reading);
  if (!is_due) {
    log_debug(gc, h2)("H2 is not marked through for garbage: reading it takes " JULONG_FORMAT " ms", reading);
  }
  return is_due;
}

H2DeepMarkingPolicy::Reason H2DeepMarkingTrigger::reason(const Collection& collection) {
  _reading_time.begin();
  const H2DeepMarkingPolicy::Cause cause = cause_now(collection);
  const H2DeepMarkingPolicy::Owners owners = {
    H2Owners::of_h2().kept(), H2Owners::of_h2().live(), H2Owners::of_h2().was_in_vain(),
    H2Owners::of_h2().weakly_kept(), cause.is_for_classes ? class_loader_count() : 0, H2Owners::of_h2().may_be_more()
  };
  const H2DeepMarkingPolicy::Heap heap = heap_now();
  const bool much_garbage = may_have_much_garbage(heap, collection.goal_millis) || _is_garbage_due;
  H2DeepMarkingPolicy::Reason result = _policy.reason(cause, heap, owners);
  if (result == H2DeepMarkingPolicy::None && much_garbage) {
    result = H2DeepMarkingPolicy::MuchGarbage;
  }
  if (H2DeepMarkingPolicy::is_for_owners(result)) {
    log_info(gc, h2)("Marking through H2: it keeps " SIZE_FORMAT " owners of something outside of the heap, and " SIZE_FORMAT
                     " after the last such marking; %s", owners.kept, owners.live, H2DeepMarkingPolicy::text(result));
  } else if (result == H2DeepMarkingPolicy::WeakTurn) {
    log_info(gc, h2)("Marking through H2: weak or soft references lead to " SIZE_FORMAT " objects there", owners.weakly);
  } else if (result != H2DeepMarkingPolicy::None) {
    log_debug(gc, h2)("Marking through H2: %s", H2DeepMarkingPolicy::text(result));
  } else if (collection.is_last_resort) {
    log_debug(gc, h2)("H2 is not marked through as the last resort: the object is too large for H1");
  }
  return result;
}

bool H2DeepMarkingTrigger::is_at_interval_next() const {
  return H2DeepMarkingInterval != 0 && (_collections + 1) % H2DeepMarkingInterval == 0;
}

bool H2DeepMarkingTrigger::may_be_due_next() const {
  return is_at_interval_next() || _policy.may_be_due_next(H2Heap::heap().free_count(), H2Heap::region_count());
}

void H2DeepMarkingTrigger::transferred(uint free_before) {
  const uint free = H2Heap::heap().free_count();
  _policy.transferred(free_before - MIN2(free, free_before), free + H2Evacuation::of_h2().source_count());
}

void H2DeepMarkingTrigger::collected(bool has_marked, uint freed, uint free) {
  _policy.marked(has_marked, freed, free, H2Heap::region_count());
}

void H2DeepMarkingTrigger::ended(jlong nanos, size_t words_before, size_t reachable_words, size_t words) {
  const julong millis = nanos / NANOSECS_PER_MILLISEC;
  const H2DeepMarkingPolicy::Heap heap = heap_now();
  _policy.ended(heap, millis, H2Owners::of_h2().has_freed());
  _reading_time.marked(millis);
  _garbage_bound.marked(words_before, reachable_words, words, written_words(), H2Heap::region_count() * H2Heap::region_words(),
                        millis, heap.now);
}
