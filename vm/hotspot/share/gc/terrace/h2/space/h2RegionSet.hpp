/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2REGIONSET_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2REGIONSET_HPP

#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"
#include "utilities/count_trailing_zeros.hpp"
#include "utilities/globalDefinitions.hpp"

// A set of region indices to which any number of workers can add concurrently. It is a bitmap in
// leaves that are allocated with their first bit, because a region of a large H2 refers to few
// others.
class H2RegionSet {
  typedef uint64_t Word;
  static const uint WordBits = 64;
  static const uint LeafWords = 64;
  static const uint LeafBits = LeafWords * WordBits;

  struct Leaf : public CHeapObj<mtGC> {
    volatile Word words[LeafWords];
  };

  uint            _leaf_count;
  Leaf* volatile* _leaves;

  Leaf* leaf_for(uint index);

 public:
  // The set can contain indices below limit.
  void initialize(uint limit);
  void release();
  // Not thread-safe.
  void clear();
  void remove(uint index);

  inline bool contains(uint index) const;
  // Returns true for the one caller that added the index.
  inline bool add(uint index);
  template <typename Function> inline void each_do(Function function) const;

  size_t byte_size() const;
};

inline bool H2RegionSet::contains(uint index) const {
  const Leaf* const leaf = Atomic::load_acquire(&_leaves[index / LeafBits]);
  return leaf != NULL && (leaf->words[index % LeafBits / WordBits] >> (index % WordBits) & 1) != 0;
}

inline bool H2RegionSet::add(uint index) {
  if (contains(index)) {
    return false;
  }
  volatile Word* const word = &leaf_for(index)->words[index % LeafBits / WordBits];
  const Word bit = (Word)1 << (index % WordBits);
  Word old = Atomic::load(word);
  while ((old & bit) == 0) {
    const Word now = Atomic::cmpxchg(word, old, old | bit);
    if (now == old) {
      return true;
    }
    old = now;
  }
  return false;
}

template <typename Function>
inline void H2RegionSet::each_do(Function function) const {
  for (uint i = 0; i < _leaf_count; i++) {
    const Leaf* const leaf = Atomic::load_acquire(&_leaves[i]);
    if (leaf == NULL) {
      continue;
    }
    for (uint w = 0; w < LeafWords; w++) {
      for (Word rest = leaf->words[w]; rest != 0; rest &= rest - 1) {
        function(i * LeafBits + w * WordBits + count_trailing_zeros(rest));
      }
    }
  }
}

#endif // SHARE_GC_TERRACE_H2_SPACE_H2REGIONSET_HPP
