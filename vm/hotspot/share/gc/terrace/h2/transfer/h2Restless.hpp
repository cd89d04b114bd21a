/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2RESTLESS_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2RESTLESS_HPP

#include "memory/memRegion.hpp"
#include "oops/klass.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/powerOfTwo.hpp"

class H2Region;

// Detects classes whose objects moved without a hint and were then written often. Further objects
// of these classes stay in H1 for some major collections, and for more of them each time that it
// happens. Arrays are distinguished by class and magnitude of their length.
//
// Each minor collection checks the cards of some regions. If more than a few cards are dirty, the
// objects on them that refer to the young generation are those that were written. They cause the
// cost of the cards.
class H2Restless {
  static const uint   RegionsAtOnce = 32;
  static const uint   DescriptorsAtOnce = 4096;
  static const size_t CardsOfRegion = 32 * K;
  static const size_t FewFraction = 32;       // of the cards of a region
  static const size_t Few = 8;
  static const size_t ObjectCards = 64;       // dirty cards whose objects are scanned
  static const uint   FirstPause = 16;        // major collections
  static const uint   MaxTurns = 10;          // the pause doubles at most this often

  // A hash table without chains. A new class replaces another one with the same index.
  static const int    LogLength = 8;
  struct Entry {
    uintptr_t key;
    uint      until;
    uint      turns;
  };
  Entry _entries[1 << LogLength];
  bool  _is_any_held_off;
  bool  _is_looking;
  uint  _major_collections;
  uint  _next_region;

  // The key of an unloaded class may be used by a later one.
  static uintptr_t key_of(const Klass* k, size_t size) {
    return (uintptr_t)k * BitsPerWord + (k->is_array_klass() ? log2i(size) : 0);
  }
  static int index_of(uintptr_t key) {
    return (int)(key * 0x9E3779B97F4A7C15ull >> (BitsPerWord - LogLength));
  }

  void look_at(H2Region* r);
  void look_at_objects(MemRegion card);
  void hold_off(const Klass* k, size_t size);

 public:
  H2Restless() : _is_any_held_off(false), _is_looking(false), _major_collections(0), _next_region(0) {
    memset(_entries, 0, sizeof(_entries));
  }

  // Called when objects have moved.
  void begin()                          { _is_looking = true; }
  void before_scavenge();
  void end_major_collection()           { _major_collections++; }

  bool contains(const Klass* k, size_t size) const {
    if (!_is_any_held_off) {
      return false;
    }
    const uintptr_t key = key_of(k, size);
    const Entry& entry = _entries[index_of(key)];
    return entry.key == key && entry.until > _major_collections;
  }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2RESTLESS_HPP
