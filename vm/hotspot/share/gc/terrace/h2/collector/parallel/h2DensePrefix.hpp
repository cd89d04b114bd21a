/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2DENSEPREFIX_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2DENSEPREFIX_HPP

#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

// Extends the dense prefix of the old generation, which compaction does not move, over the
// objects that remembered cards refer to (H2Targets). If such an object slides, all of
// these cards must be read and written. They may be all cards of H2.
//
// The extension leaves dead space below these objects that compaction would reclaim. Its
// size is bounded by a share of the old generation. A target above the bound slides by at least
// this size towards the bottom, so that it slides a few times in its life.
class H2DensePrefix : public AllStatic {
  static bool _may_extend;

 public:
  // last_resort: the collection must reclaim all dead space.
  static void begin_collection(bool last_resort);

  // A hook of the summary phase, after each space has been summarized into itself. Takes the end of the
  // dense prefix by upstream's rule and returns the extended one. If they differ, clears
  // maximum_compaction, because the summary must be computed again.
  static HeapWord* extend(HeapWord* end, bool& maximum_compaction);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2DENSEPREFIX_HPP
