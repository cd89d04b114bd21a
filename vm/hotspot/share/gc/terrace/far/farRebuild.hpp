/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARREBUILD_HPP
#define SHARE_GC_TERRACE_FAR_FARREBUILD_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/terrace/far/farMarking.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"

// Around a chunk of a region whose references G1 reads to rebuild remembered sets:
// ask for the absent pages with live objects ahead, 2 MB at once, and give them
// back.
class FarRebuild : public StackObj {
  const MemRegion _chunk;

  static void ask_ahead(HeapWord* start, HeapWord* limit);
  static void give_back(MemRegion chunk);

 public:
  FarRebuild(MemRegion chunk, HeapWord* limit) : _chunk(chunk) {
    if (FarMarking::is_rebuilding()) {
      ask_ahead(chunk.start(), limit);
    }
  }

  ~FarRebuild() {
    if (FarMarking::is_rebuilding()) {
      give_back(_chunk);
    }
  }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_FARREBUILD_HPP
