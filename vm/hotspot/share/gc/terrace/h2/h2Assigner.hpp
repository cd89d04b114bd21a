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
// objects that start in blocks first to last of the order of H2Forwarding, to
// adjacent addresses. Begins or ends within an object only if that object is
// larger than a chunk.
struct H2Chunk {
  static const size_t MaxWords = 2 * M / BytesPerWord;

  H2Region* region;
  HeapWord* to;
  size_t    words;
  size_t    skip;
  size_t    first;
  size_t    last;
};

// Gives moving objects their addresses and opens regions for them: the second
// phase of a transfer. Label by label; of a label, group by group, so that what
// was reached from one root lies together; of a group, in order of addresses.
//
// What a label moves goes to the rest of a region of it if it fits there, else
// many small transfers would fill H2 with tails. A label that has less than a
// quarter of a region, all in all, shares a region with other small labels of its
// tier that move in the same transfer, unless these are few. Small labels of different
// transfers share regions once 32 regions, or a quarter of all, are that sparse.
// Larger labels begin in a region of their own: one that two of them share would
// keep each alive with the other, whole. When no region is left to open, they do
// share: they go to the ends of regions, whatever their labels.
class H2Assigner : public StackObj {
  struct Resumed {
    H2Region* region;
    HeapWord* top;                      // before
    int       class_loaders;            // ditto
  };

  struct Label {
    H2Region* with_room;                // a single region that no cluster leaves, or NULL
    size_t    own_words;                // in regions that it shares with no other
  };

  // The region that small labels of one tier share now.
  struct Open {
    H2Region* region;                   // with the most room of those that there are; may be NULL
    bool      has_begun;                // in this transfer
  };
  static const int TierCount = 3;

  const H2Selector&        _selector;
  GrowableArray<Label>     _labels;
  Open                     _open[TierCount];
  uint                     _sparse_count;     // of all regions
  bool                     _has_few_labels;   // this transfer, so that each may open a region
  int                      _sharing_labels;
  size_t                   _sharing_words;
  uint                     _opened_shared;
  bool                     _is_full;    // no region is left to open
  GrowableArray<H2Region*> _shared;     // then: with room for others, at first that with the most of it last
  GrowableArray<Resumed>   _resumed;
  GrowableArray<H2Region*> _opened;
  GrowableArray<H2Chunk>   _chunks;
  size_t                   _assigned_words;
  const char*              _error;

  void sort_blocks();
  bool assign_label(uint label, size_t* next);
  size_t words_of_label(uint label, size_t first) const;
  void find_regions_with_room();
  bool is_small(uint label, size_t words) const;
  H2Region* share_as_small(uint label, size_t words);
  void find_shared();
  H2Region* go_on_in(H2Region* r);
  H2Region* resume(uint label, size_t words);
  H2Region* share(size_t words);
  H2Region* open(jlong label, size_t words);
  H2Region* begin(uint label, size_t words);
  H2Region* go_on(uint label, H2Region* before, size_t words, bool is_same_group);
  void place(H2Region* r, uint label, size_t i);
  void add_to_chunks(H2Region* r, size_t i, HeapWord* to, size_t words);

 public:
  // For what may be selected: some is lost where regions end.
  static size_t room_words();

  // Needs a ResourceMark.
  H2Assigner(const H2Selector& selector);

  // False if H2 or the device is full: see error(), then undo().
  bool assign(WorkGang* workers);
  void undo();

  const char* error() const            { return _error; }
  // What had room, if not all has.
  size_t assigned_words() const        { return _assigned_words; }
  int run_count() const                { return _resumed.length() + _opened.length(); }
  // Labels that were small, what they moved, and the regions that were opened for them.
  int sharing_labels() const           { return _sharing_labels; }
  size_t sharing_words() const         { return _sharing_words; }
  uint opened_shared() const           { return _opened_shared; }
  int chunk_count() const              { return _chunks.length(); }
  const H2Chunk& chunk(int i) const    { return *_chunks.adr_at(i); }
};

#endif // SHARE_GC_TERRACE_H2_H2ASSIGNER_HPP
