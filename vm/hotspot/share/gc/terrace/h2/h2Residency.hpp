/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2RESIDENCY_HPP
#define SHARE_GC_TERRACE_H2_H2RESIDENCY_HPP

#include "gc/terrace/h2/h2ResidencyBudget.hpp"
#include "memory/memRegion.hpp"

class H2Region;

// Which regions stay in memory while the program reads more than memory holds,
// pass after pass. The system evicts what was not used for longest, which in
// such a pass is what comes next: nothing would be there when it is read
// again. So a part stays, and what the program is done with of the rest is
// taken out at once, before the system has to choose.
//
// A region holds what it was decided for it. All under the lock of H2Pager or
// at a safepoint.
class H2Residency {
  static H2ResidencyBudget _budget;

  bool   _passed;           // the program was done with a part of it
  bool   _paged_out;        // and a part was taken out of memory since it was read
  size_t _kept_bytes;       // that the budget counts for it; 0: it is not to stay

  static size_t resident_estimate();

 public:
  static void initialize();

  // All zeroes is a region that was never read.
  void release();

  // The program has read this piece of a region, and will read others first.
  static bool stays(MemRegion piece);
  // The program is about to read this piece of a region: what was decided for
  // it is compared with what became of it.
  static void comes_back(MemRegion piece);
};

#endif // SHARE_GC_TERRACE_H2_H2RESIDENCY_HPP
