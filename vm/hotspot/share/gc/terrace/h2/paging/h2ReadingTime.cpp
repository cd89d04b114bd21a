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

// Pieces at equal distances in the used parts of H2, and those of them of which a part is not in memory. A piece that was read once is
// in memory, so each sample has other pieces.
class H2ReadingTime::Sample : public StackObj {
 public:
  struct Piece {
    char*  start;
    size_t size;
    size_t resident;
  };

 private:
  size_t _used;                      // bytes of all regions
  size_t _sampled;
  size_t _missing;
  GrowableArrayCHeap<Piece, mtGC> _absent;

  static size_t used_by(const H2Region* r) { return pointer_delta(r->top(), H2Heap::bottom_of(r), 1); }

  void add(char* start, size_t size) {
    const Piece piece = { start, size, H2File::resident(start, size) };
    _sampled += size;
    _missing += size - piece.resident;
    if (piece.resident < size - size / 4) {
      _absent.append(piece);
    }
  }

 public:
  Sample(uint number) : _used(0), _sampled(0), _missing(0) {
    H2Heap::heap().heads_do([&](H2Region* r) { _used += used_by(r); });
    const size_t distance = MAX2(align_up(_used / Pieces, PieceBytes), PieceBytes);
    size_t next = number * PieceBytes % distance;
    size_t before = 0;
    H2Heap::heap().heads_do([&](H2Region* r) {
      const size_t used = used_by(r);
      for (; next < before + used; next += distance) {
        const size_t at = align_down(next - before, PieceBytes);
        add((char*)H2Heap::bottom_of(r) + at, MIN2(PieceBytes, align_up(used - at, (size_t)os::vm_page_size())));
      }
      before += used;
    });
  }

  size_t missing_estimate() const { return _sampled == 0 ? 0 : (size_t)((double)_used * _missing / _sampled); }
  int absent_count() const        { return _absent.length(); }
  const Piece& absent(int i) const { return _absent.at(i); }
};

void H2ReadingTime::measure(const Sample& sample) {
  const jlong start = os::javaTimeNanos();
  jlong now = start;
  size_t read = 0;
  for (int next = 0; next < sample.absent_count() && now - start < MaxNanos; ) {
    const int first = next;
    next = MIN2(first + PiecesAtOnce, sample.absent_count());
    for (int i = first; i < next; i++) {
      H2File::prefetch(sample.absent(i).start, sample.absent(i).size, false);
    }
    size_t missing;
    size_t came;
    do {
      os::naked_short_nanosleep(50 * 1000);
      missing = came = 0;
      for (int i = first; i < next; i++) {
        const Sample::Piece& piece = sample.absent(i);
        const size_t resident = H2File::resident(piece.start, piece.size);
        missing += piece.size - resident;
        came += resident - MIN2(resident, piece.resident);
      }
      now = os::javaTimeNanos();
    } while (missing > 0 && now - start < MaxNanos);
    read += came;
  }
  _measured_at = now;
  _measured_in = now - start;
  _nanos_per_byte = (double)(now - start) / MAX2(read, PieceBytes);
  log_debug(gc, h2)("Reading " SIZE_FORMAT "K from the device to measure it took %.1f ms", read / K, (double)(now - start) / NANOSECS_PER_MILLISEC);
}

double H2ReadingTime::missing_millis() {
  if (_missing_millis < 0) {
    const Sample sample(_samples++);
    const jlong now = os::javaTimeNanos();
    if (sample.absent_count() > 0 && (_measured_at == 0 || now - _measured_at >= TimeShare * _measured_in)) {
      measure(sample);
    }
    _missing_millis = sample.missing_estimate() * _nanos_per_byte / NANOSECS_PER_MILLISEC;
  }
  return _missing_millis;
}
