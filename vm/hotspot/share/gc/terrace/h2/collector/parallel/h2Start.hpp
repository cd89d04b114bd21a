/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2START_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2START_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class MemRegion;
class ReservedSpace;

// The start of H2, called in this order by the initialization of ParallelGC's heap.
class H2Start : public AllStatic {
 public:
  // Gives the first h2_size bytes of the reservation to H2, and the rest to H1. Changes nothing if h2_size is 0.
  static void split(ReservedSpace& whole, size_t h2_size, MemRegion& h1);
  // Called when the card table and H1 exist.
  static void initialize();
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2START_HPP
