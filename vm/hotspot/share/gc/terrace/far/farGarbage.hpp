/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARGARBAGE_HPP
#define SHARE_GC_TERRACE_FAR_FARGARBAGE_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"

// While the process swaps, what lies in free regions is garbage that the system
// would write out, and read again before it is overwritten. So the system gets
// it; what is in memory still costs nothing to use again.
class FarGarbage : public AllStatic {
  static FarBits _given;               // regions, until they are seen in use
  static uint    _collections;         // until then: what was free between two of them may have been used

  static bool give(uint index);

 public:
  // False if there is no memory.
  static bool initialize();
  static void give_free_regions();
};

#endif // SHARE_GC_TERRACE_FAR_FARGARBAGE_HPP
