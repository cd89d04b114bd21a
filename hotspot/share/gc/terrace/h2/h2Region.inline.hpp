/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2REGION_INLINE_HPP
#define SHARE_GC_TERRACE_H2_H2REGION_INLINE_HPP

#include "gc/terrace/h2/h2Region.hpp"

#include "runtime/atomic.hpp"
#include "utilities/bitMap.inline.hpp"

inline bool H2Region::claim_live() {
  return !Atomic::load(&_live) && !Atomic::cmpxchg(&_live, false, true);
}

inline void H2Region::add_dependency(uint head_index) {
  if (!_dependencies.at(head_index)) {
    _dependencies.par_set_bit(head_index);
  }
}

inline bool H2Region::depends_on(uint head_index) const {
  return _dependencies.at(head_index);
}

template <typename Function>
inline void H2Region::dependencies_do(Function function) const {
  const BitMap::idx_t size = _dependencies.size();
  for (BitMap::idx_t i = _dependencies.get_next_one_offset(0, size);
       i < size;
       i = _dependencies.get_next_one_offset(i + 1, size)) {
    function((uint)i);
  }
}

template <typename Function>
inline void H2Region::class_loaders_do(Function function) const {
  for (int i = 0; i < _class_loaders->length(); i++) {
    function(_class_loaders->at(i));
  }
}

#endif // SHARE_GC_TERRACE_H2_H2REGION_INLINE_HPP
