/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2MARKS_HPP
#define SHARE_GC_TERRACE_H2_H2MARKS_HPP

#include "gc/terrace/h2/h2Scratch.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"

// A bit for each object that starts in the first regions of H2, in a file beside that
// of H2, which memory pressure can write out.
class H2Marks {
  friend class H2AgentTable;

  H2Scratch  _scratch;
  BitMapView _bits;

 public:
  // No object is smaller, so only one starts in each pair.
  static const size_t WordsPerBit = 2;

  // At the start.
  static void initialize();
  // All clear. NULL, or why there are none.
  const char* map(uint region_count);
  // Another thread unmaps them, once it knows whether they reached the device.
  void retire();
  bool is_mapped() const                { return _scratch.is_mapped(); }
  // Whether this is an address of the bits.
  bool contains(const void* p) const {
    return p >= _scratch.start() && p < _scratch.start() + _scratch.size();
  }
  const H2Scratch& scratch() const { return _scratch; }
  const char* writeback_error() const   { return _scratch.writeback_error(); }
  static size_t bytes(uint region_count);

  static BitMap::idx_t bit_of(const void* p);
  // The object that starts at a bit which is set.
  static HeapWord* object_at(BitMap::idx_t bit);

  BitMapView& bits()                    { return _bits; }
  bool is_marked(const void* obj) const { return _bits.at(bit_of(obj)); }

  // Calls function(address, size) for marked objects that start in a range of words
  // within one run, in the order of addresses. What lies between is not read but for
  // the rest of a card.
  template <typename Function> inline void marked_do(MemRegion words, Function function) const;
};

#endif // SHARE_GC_TERRACE_H2_H2MARKS_HPP
