/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARBITS_HPP
#define SHARE_GC_TERRACE_FAR_FARBITS_HPP

#include "utilities/bitMap.hpp"

// A large bitmap that uses memory only where bits are set. Clearing the whole bitmap releases its
// memory.
class FarBits : public BitMap {
  // Implemented per operating system.
  static char* reserve_and_commit(size_t size);
  static void  release(char* table, size_t size);

  static size_t _all;                  // total size of all bitmaps in bytes

  size_t table_size() const;

 public:
  // The memory that all bitmaps use if every page of them is touched.
  static size_t all_size_in_bytes() { return _all; }

  // Zeroes the table and releases its memory. Returns false if the system refuses.
  static bool discard(char* table, size_t size);

  FarBits() : BitMap(NULL, 0) {}

  // Clears all bits. Returns false if there is no memory.
  bool allocate(idx_t count);
  void clear_all();
  // Sets a bit of an aligned pair of bits atomically, unless one of the two is set. Returns whether it has set the bit.
  bool par_set_of_pair(idx_t bit);
  void free();
};

#endif // SHARE_GC_TERRACE_FAR_FARBITS_HPP
