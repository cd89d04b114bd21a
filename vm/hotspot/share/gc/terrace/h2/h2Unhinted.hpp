/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2UNHINTED_HPP
#define SHARE_GC_TERRACE_H2_H2UNHINTED_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Which objects of H1 may move though nobody tagged them (H2MoveUnhinted): arrays of
// primitives that have survived a major collection. They refer to nothing, so in
// H2 they have no cards to read. Compaction slides, so these are below where the
// old generation ended after the last major collection.
class H2Unhinted : public AllStatic {
  static HeapWord* _old_end;

 public:
  // Regions of such objects have this label.
  static const jlong Label = min_jlong;
  // Large arrays first: they make few references into H2 for many bytes.
  static const size_t LargeWords = 1 * K / BytesPerWord;
  static const size_t SmallestWords = 4;

  static HeapWord* old_end() { return _old_end; }
  // Before the tops of spaces are set.
  static void end_major_collection();
};

#endif // SHARE_GC_TERRACE_H2_H2UNHINTED_HPP
