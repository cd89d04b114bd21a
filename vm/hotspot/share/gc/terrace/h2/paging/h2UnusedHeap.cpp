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
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Compaction.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/paging/h2UnusedHeap.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"


H2UnusedHeap* H2UnusedHeap::_of_h2 = NULL;

void H2UnusedHeap::end_major_collection() {
  // An H2 in memory needs no page cache. These flags ask for memory that stays.
  if (!H2Waits::is_active() || !H2Storage::of_h2().reads_from_device() || AlwaysPreTouch || UseLargePages) {
    return;
  }
  const jlong now = os::javaTimeNanos();
  const jlong waited = H2Statistics::get(H2Statistics::WaitNanos);
  const jlong nanos = now - _last_end;
  const jlong waited_nanos = waited - _last_waited;
  _last_end = now;
  _last_waited = waited;

  const H1Heap::Space old = H1Heap::old_space();
  HeapWord* const old_top = H1Compaction::new_old_top();
  _used_end = MIN2(MAX3(_used_end, old.top, old_top), old.end);
  const size_t old_bytes = pointer_delta(_used_end, old_top) * HeapWordSize;
  HeapWord* const eden_used_end = H1Heap::eden_space().top;
  HeapWord* const eden_top = H1Compaction::new_eden_top();
  const size_t eden_bytes = eden_used_end <= eden_top ? 0 : pointer_delta(eden_used_end, eden_top) * HeapWordSize;
  if (!is_worth(old_bytes + eden_bytes, nanos, waited_nanos)) {
    return;
  }
  size_t bytes = 0;
  if (H2Memory::release((char*)old_top, old_bytes)) {
    _used_end = old_top;
    bytes += old_bytes;
  }
  if (H2Memory::release((char*)eden_top, eden_bytes)) {
    bytes += eden_bytes;
  }
  if (bytes == 0) {
    return;
  }
  H2Statistics::add(H2Statistics::ReleasedHeapBytes, (jlong)bytes);
  log_debug(gc, h2)("Released " SIZE_FORMAT "K of the unused heap: threads waited for pages of H2 for " JLONG_FORMAT
                    " of " JLONG_FORMAT " ms", bytes / K, waited_nanos / NANOSECS_PER_MILLISEC, nanos / NANOSECS_PER_MILLISEC);
}
