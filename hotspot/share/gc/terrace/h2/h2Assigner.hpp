/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2ASSIGNER_HPP
#define SHARE_GC_TERRACE_H2_H2ASSIGNER_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class H2Selector;
class WorkGang;

// What one worker copies at once: words [skip, skip + words) of the moving
// objects that start in blocks [first_block, last_block] of a group, to
// adjacent addresses. Begins or ends within an object only if that object is
// larger than a chunk.
struct H2Chunk {
  static const size_t MaxWords = 2 * M / BytesPerWord;

  H2Region* region;
  HeapWord* to;
  size_t    words;
  size_t    skip;
  uint      group;
  size_t    first_block;
  size_t    last_block;
};

// Gives moving objects their addresses, group by group in address order, and
// opens regions for them: the second phase of a transfer.
class H2Assigner : public StackObj {
  const H2Selector&        _selector;
  GrowableArray<H2Region*> _opened;
  GrowableArray<H2Region*> _region;     // of each group: where it allocates
  GrowableArray<int>       _chunk;      // of each group: the one that grows, or -1
  GrowableArray<H2Chunk>   _chunks;
  const char*              _error;

  bool open(uint group, size_t words);
  void add_to_chunks(size_t block, uint group, HeapWord* to, size_t words);

 public:
  // Needs a ResourceMark.
  H2Assigner(const H2Selector& selector);

  // False if H2 or the device is full: see error(), then undo().
  bool assign(WorkGang* workers);
  void undo();

  const char* error() const            { return _error; }
  int run_count() const                { return _opened.length(); }
  int chunk_count() const              { return _chunks.length(); }
  const H2Chunk& chunk(int i) const    { return *_chunks.adr_at(i); }
};

#endif // SHARE_GC_TERRACE_H2_H2ASSIGNER_HPP
