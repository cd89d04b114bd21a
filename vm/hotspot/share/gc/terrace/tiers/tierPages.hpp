/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERPAGES_HPP
#define SHARE_GC_TERRACE_TIERS_TIERPAGES_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// Where the pages of fast and of slow regions are, and how they get there: for H2 in a file, in memory or on the device; for H2
// on a node, on fast nodes or on that one.
class TierPages : public CHeapObj<mtGC> {
 public:
  // By where H2 is. If its pages cannot be moved at all, the VM does not start.
  static TierPages* create();

  // Whether pages are where they were moved to last. Otherwise the program's accesses bring them into memory, and the system
  // evicts them.
  virtual bool stay() const = 0;
  // Bytes a second that may move; 0 if whoever decides on moves has to know.
  virtual size_t most_per_second() const = 0;
  // Moves those of a page-aligned range. Return how many bytes were moved. If not all are there, and it is of use to try again
  // in a second, is_all becomes false.
  virtual size_t bring(char* start, size_t size, bool* is_all) = 0;
  virtual size_t give_back(char* start, size_t size, bool* is_all) = 0;
};

#endif // SHARE_GC_TERRACE_TIERS_TIERPAGES_HPP
