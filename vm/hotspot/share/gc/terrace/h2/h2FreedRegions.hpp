/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2FREEDREGIONS_HPP
#define SHARE_GC_TERRACE_H2_H2FREEDREGIONS_HPP

#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// Which free regions still have space on the device. A thread gives it back
// in its own time; a safepoint may use such a region again before, or while,
// that happens. Nobody returns the space of a region after reuse() has returned.
//
//   Empty --freed--> Full --claim--> Returning --finish--> Empty, or Full if it failed
//                    Full --reuse--> Empty
//                                    Returning --reuse--> Wanted --finish--> Empty
//
// freed() and reuse() are called by the VM thread at safepoints. Who returns space
// does so in portions and looks in between whether somebody waits, so that
// reuse() waits for one portion at most.
class H2FreedRegions : public CHeapObj<mtGC> {
  enum State { Empty, Full, Returning, Wanted };

  volatile uint8_t* const _states;      // by region
  const uint              _region_count;
  volatile uint           _full_count;
  volatile uint           _cursor;

  bool take(uint index);

 public:
  static const uint None = max_juint;

  H2FreedRegions(uint region_count);
  ~H2FreedRegions();

  // All of these are free from now on.
  void freed(uint first, uint count);
  // They are about to be used. Returns how many of them still had space, or
  // a part of it.
  uint reuse(uint first, uint count);

  // Those that nobody returns the space of right now.
  uint full_count() const               { return Atomic::load(&_full_count); }
  // One of them, or None. By any thread, which then finishes it.
  uint claim();
  bool is_wanted(uint index) const      { return Atomic::load(&_states[index]) == Wanted; }
  void finish(uint index, bool is_empty);
};

#endif // SHARE_GC_TERRACE_H2_H2FREEDREGIONS_HPP
