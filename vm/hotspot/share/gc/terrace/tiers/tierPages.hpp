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

// The location of the pages of fast and slow regions, and the means to move them. For H2 in a file, the locations
// are memory and the device. For H2 on a node, they are the fast nodes and that node.
class TierPages : public CHeapObj<mtGC> {
 public:
  // Creates the kind that fits the place of H2. If pages cannot be moved at all, the VM does not start.
  // has_huge_pages tells whether the system reads the region of p in huge pages.
  static TierPages* create(bool (*has_huge_pages)(const void* p));

  // Whether pages stay where they were moved. Otherwise the program's accesses bring them into memory, and the
  // system evicts them.
  virtual bool stay() const = 0;
  // The number of bytes per second that may move, or 0 if the caller must limit them.
  virtual size_t most_per_second() const = 0;
  // Move the pages of a page-aligned range, and return the number of moved bytes. They set is_all to false if some
  // pages did not move and a retry after a second makes sense.
  virtual size_t bring(char* start, size_t size, bool* is_all) = 0;
  virtual size_t give_back(char* start, size_t size, bool* is_all) = 0;
};

#endif // SHARE_GC_TERRACE_TIERS_TIERPAGES_HPP
