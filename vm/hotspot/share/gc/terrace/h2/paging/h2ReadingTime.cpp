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
#include "gc/terrace/h2/paging/h2ReadingTime.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"
#include "utilities/growableArray.hpp"

// Pieces at equal distances in some regions, and those of them that are not in memory.
class H2ReadingTime::Sample : public StackObj {
  size_t _used;                      // bytes of all regions
  size_t _sampled;
  size_t _missing;
  GrowableArrayCHeap<char*, mtGC> _absent;

 public:
  Sample() : _used(0), _sampled(0), _missing(0) {
    const size_t step = (H2Heap::region_count() - H2Heap::heap().free_count()) / SampledRegions + 1;
    size_t heads = 0;
    H2Heap::heap().heads_do([&](H2Region* r) {
      char* const bottom = (char*)H2Heap::bottom_of(r);
      const size_t used = pointer_delta(r->top(), bottom, 1);
      _used += used;
      if (heads++ % step != 0) {
        return;
      }
      const size_t distance = MAX2(align_down(used / PiecesPerRegion, PieceBytes), PieceBytes);
      for (size_t at = 0; at + PieceBytes <= used; at += distance) {
        const size_t missing = PieceBytes - H2File::resident(bottom + at, PieceBytes);
        _sampled += PieceBytes;
        _missing += missing;
        if (missing == PieceBytes) {
          _absent.append(bottom + at);
        }
      }
    });
  }

  size_t missing_estimate() const { return _sampled == 0 ? 0 : (size_t)((double)_used * _missing / _sampled); }
  int absent_count() const        { return _absent.length(); }
  char* absent_at(int i) const    { return _absent.at(i); }
};

void H2ReadingTime::measure(const Sample& sample) {
  const jlong start = os::javaTimeNanos();
  jlong now = start;
  size_t read = 0;
  for (int next = 0; next < sample.absent_count() && now - start < MaxNanos; ) {
    const int first = next;
    next = MIN2(first + (int)PiecesAtOnce, sample.absent_count());
    for (int i = first; i < next; i++) {
      H2File::prefetch(sample.absent_at(i), PieceBytes, false);
    }
    size_t present;
    do {
      os::naked_short_nanosleep(50 * 1000);
      present = 0;
      for (int i = first; i < next; i++) {
        present += H2File::resident(sample.absent_at(i), PieceBytes);
      }
      now = os::javaTimeNanos();
    } while (present < (size_t)(next - first) * PieceBytes && now - start < MaxNanos);
    read += present;
  }
  _measured_at = now;
  _measured_in = now - start;
  _nanos_per_byte = (double)(now - start) / MAX2(read, PieceBytes);
  log_debug(gc, h2)("Reading " SIZE_FORMAT "K from the device to measure it took %.1f ms", read / K, (double)(now - start) / NANOSECS_PER_MILLISEC);
}

julong H2ReadingTime::millis() {
  const Sample sample;
  const jlong now = os::javaTimeNanos();
  if (sample.absent_count() > 0 && (_measured_at == 0 || now - _measured_at >= TimeShare * _measured_in)) {
    measure(sample);
  }
  return (julong)(sample.missing_estimate() * _nanos_per_byte / NANOSECS_PER_MILLISEC);
}
