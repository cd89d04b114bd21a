/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_H1MARKS_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_H1MARKS_HPP

#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

// The marks of a major collection in H1. They are complete from the end of marking to compaction. A transfer
// removes the marks of the objects that it has moved to H2. Each collector that supports H2 implements this class.
class H1Marks : public AllStatic {
 public:
  static inline bool is_marked(oop obj);
  static inline bool is_unmarked(oop obj)   { return !is_marked(obj); }
  // Whether a marked object starts at p.
  static inline bool is_start(HeapWord* p);
  // Returns the first address in [from, limit) where a marked object starts, or limit.
  static inline HeapWord* next_start(HeapWord* from, HeapWord* limit);
  // Returns the end of the marked object that covers p. The last word of this object must lie below limit.
  static inline HeapWord* end_of(HeapWord* p, HeapWord* limit);
  static inline size_t size_of(HeapWord* start);
  // The end of the addresses that may have marks.
  static inline HeapWord* limit();

  // Removes the marks of the objects in [from, to). Nothing refers to their old addresses any more.
  static void clear(HeapWord* from, HeapWord* to);

  // Calls function(address, size) for each marked object. The order is always the same.
  template <typename Function>
  static inline void marked_do(Function function);
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_H1MARKS_HPP
