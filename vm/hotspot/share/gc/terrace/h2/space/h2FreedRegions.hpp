/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2FREEDREGIONS_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2FREEDREGIONS_HPP

#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// The states of free regions with regard to their space on the device. A thread returns the space
// concurrently. A safepoint may reuse such a region before or while that happens. No thread returns
// the space of a region after reuse() has returned.
//
//   Empty --freed--> Full --claim--> Returning --finish--> Empty, or Full if it failed
//                    Full --reuse--> Empty
//                                    Returning --reuse--> Wanted --finish--> Empty
//
// freed() and reuse() are called by the VM thread at safepoints. A thread returns space in
// portions, and checks in between whether the region is wanted. So reuse() waits for at most one
// portion.
class H2FreedRegions : public CHeapObj<mtGC> {
  enum State { Empty, Full, Returning, Wanted };

  volatile uint8_t* const _states;      // one per region
  const uint              _region_count;
  volatile uint           _full_count;
  volatile uint           _cursor;

  bool take(uint index);

 public:
  static const uint None = max_juint;

  H2FreedRegions(uint region_count);
  ~H2FreedRegions();

  // Called when these regions have become free.
  void freed(uint first, uint count);
  // Called before these regions are used. Returns how many of them may still have space on the
  // device.
  uint reuse(uint first, uint count);

  // The number of regions in the state Full.
  uint full_count() const               { return Atomic::load(&_full_count); }
  // Returns such a region, or None. The calling thread, which may be any, must call finish() for
  // it.
  uint claim();
  bool is_wanted(uint index) const      { return Atomic::load(&_states[index]) == Wanted; }
  void finish(uint index, bool is_empty);
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2FREEDREGIONS_HPP
