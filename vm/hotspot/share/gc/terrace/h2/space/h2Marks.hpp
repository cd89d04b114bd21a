/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2MARKS_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2MARKS_HPP

#include "memory/memRegion.hpp"
#include "gc/terrace/h2/space/storage/h2Scratch.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"

// A bitmap with one bit per object that starts in the first regions of H2. It is in a file beside
// that of H2, so that it can be written out under memory pressure.
class H2Marks {
  friend class H2AgentTable;

  H2Scratch  _scratch;
  BitMapView _bits;

 public:
  // An object has at least two words, so at most one starts in each pair.
  static const size_t WordsPerBit = 2;

  // Called at the start of the VM.
  static void initialize();
  // Maps a bitmap of zeroes. Returns NULL, or an error message.
  const char* map(uint region_count);
  // Passes the bitmap to another thread, which checks whether it reached the device, and then
  // unmaps it.
  void retire();
  bool is_mapped() const                { return _scratch.is_mapped(); }
  // Whether p is an address in the bitmap.
  bool contains(const void* p) const {
    return p >= _scratch.start() && p < _scratch.start() + _scratch.size();
  }
  const H2Scratch& scratch() const { return _scratch; }
  const char* writeback_error() const   { return _scratch.writeback_error(); }
  static size_t bytes(uint region_count);

  static BitMap::idx_t bit_of(const void* p);
  // The object that starts at a set bit.
  static HeapWord* object_at(BitMap::idx_t bit);

  BitMapView& bits()                    { return _bits; }
  bool is_marked(const void* obj) const { return _bits.at(bit_of(obj)); }

  // Calls function(address, size) for marked objects that start in a range of words within one run,
  // in address order. The space between marked objects is skipped, except for the remainder of the
  // current card.
  template <typename Function> inline void marked_do(MemRegion words, Function function) const;
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2MARKS_HPP
