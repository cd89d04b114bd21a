/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2REGION_INLINE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2REGION_INLINE_HPP

#include "gc/terrace/h2/space/h2Region.hpp"

#include "runtime/atomic.hpp"

inline bool H2Region::claim_live() {
  return !Atomic::load(&_live) && !Atomic::cmpxchg(&_live, false, true);
}

inline void H2Region::hold() {
  if (!Atomic::load(&_held)) {
    Atomic::store(&_held, true);
  }
}

template <typename Function>
inline void H2Region::class_loaders_do(Function function) const {
  for (int i = 0; i < _class_loaders->length(); i++) {
    function(_class_loaders->at(i));
  }
}

#endif // SHARE_GC_TERRACE_H2_SPACE_H2REGION_INLINE_HPP
