/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2ASSIGNER_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2ASSIGNER_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class H2Selector;
class WorkGang;

// A unit of copy work for one worker: words [skip, skip + words) of the pieces from first to last
// in the order of H2Forwarding. They are copied to adjacent addresses. A chunk begins or ends within
// an object only if that object is larger than a chunk.
struct H2Chunk {
  static const size_t MaxWords = 2 * M / BytesPerWord;

  H2Region* region;
  HeapWord* to;
  size_t    words;
  size_t    skip;
  size_t    first;
  size_t    last;
};

// Assigns H2 addresses to the moving objects and opens regions for them. This is the second
// phase of a transfer. Objects are placed label by label. Within a label they are placed group
// by group, so that objects reached from one root are adjacent. Within a group they keep the
// order of their addresses.
//
// The objects of a label go to the free space of one of its regions if they fit there.
// Otherwise many small transfers would leave many regions partly filled.
//
// A label is small if it has at most a quarter of a region in total. Small labels of one tier
// that move in the same transfer share regions, unless the transfer has few labels. Small labels
// of different transfers share regions once 32 regions, or a quarter of all regions, are less
// than a quarter full.
//
// A larger label begins in a region of its own, because objects of either label keep a shared
// region alive as a whole. When no free region remains, larger labels share regions too. Their
// objects then go to the free space at the ends of regions with any label.
class H2Assigner : public StackObj {
  struct Resumed {
    H2Region* region;
    HeapWord* top;                      // before this transfer
    int       class_loaders;            // their number before this transfer
  };

  struct Label {
    H2Region* with_room;                // the region with the most free space that may be resumed, or NULL
    size_t    own_words;                // in regions that it does not share
  };

  // The region that small labels of one tier currently share.
  struct Open {
    H2Region* region;                   // the one with the most free space; may be NULL
    bool      has_begun;                // used in this transfer
  };
  static const int TierCount = 3;

  const H2Selector&        _selector;
  GrowableArray<Label>     _labels;
  Open                     _open[TierCount];
  uint                     _sparse_count;     // regions that are less than a quarter full
  bool                     _has_few_labels;   // in this transfer, so that each may open a region
  int                      _sharing_labels;
  size_t                   _sharing_words;
  uint                     _opened_shared;
  bool                     _is_full;    // no free region remains
  GrowableArray<H2Region*> _shared;     // regions with free space, if _is_full; initially in ascending order of it
  GrowableArray<Resumed>   _resumed;
  GrowableArray<H2Region*> _opened;
  GrowableArray<H2Chunk>   _chunks;
  size_t                   _assigned_words;
  const char*              _error;

  void sort_pieces();
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
  void place(H2Region* r, uint label, size_t piece);
  void add_to_chunks(H2Region* r, size_t piece, HeapWord* to, size_t words);

 public:
  // The limit for the words to select. It is below the free space, because some space at the
  // ends of regions is lost.
  static size_t room_words();

  // Needs a ResourceMark.
  H2Assigner(const H2Selector& selector);

  // Returns false if H2 or the device is full. The caller then reads error() and calls undo().
  bool assign(WorkGang* workers);
  void undo();

  const char* error() const            { return _error; }
  // The words that have addresses. These are not all words if assign() failed.
  size_t assigned_words() const        { return _assigned_words; }
  int run_count() const                { return _resumed.length() + _opened.length(); }
  // The small labels that moved to shared regions, their words, and the shared regions opened for them.
  int sharing_labels() const           { return _sharing_labels; }
  size_t sharing_words() const         { return _sharing_words; }
  uint opened_shared() const           { return _opened_shared; }
  int chunk_count() const              { return _chunks.length(); }
  const H2Chunk& chunk(int i) const    { return *_chunks.adr_at(i); }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2ASSIGNER_HPP
