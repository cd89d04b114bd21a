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

// A large bitmap that takes memory only where bits are set. Clearing all of it
// gives the memory back.
class FarBits : public BitMap {
  // The operating system.
  static char* reserve_and_commit(size_t size);
  static void  release(char* table, size_t size);

  static size_t _all;                  // bytes of all of them

  size_t table_size() const;

 public:
  // What all of them take where every page of them is touched.
  static size_t all_size_in_bytes() { return _all; }

  // All of it is 0 afterwards. False if the system does not take it.
  static bool discard(char* table, size_t size);

  FarBits() : BitMap(NULL, 0) {}

  // All bits are 0. False if there is no memory.
  bool allocate(idx_t count);
  void clear_all();
  void free();
};

#endif // SHARE_GC_TERRACE_FAR_FARBITS_HPP
