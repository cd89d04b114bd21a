/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTUNHINTEDTASK_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTUNHINTEDTASK_HPP

#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectTask.hpp"

// Selects objects of one kind that may move without a hint. It searches the old generation chunk
// by chunk, from the position where an earlier collection stopped, and each chunk at most once.
class H2SelectUnhintedTask : public H2SelectTask {
  static const size_t ChunkWords = 64 * K;  // at least the size of a region of the compaction
  // With a time goal, a search covers this many parts, because searching is cheaper than moving.
  static const size_t LookedAtPerPart = 8;

  const H2Unhinted::Kind _kind;
  const uint             _group;
  const size_t           _min_words;
  HeapWord* const        _bottom;
  HeapWord* const        _end;
  const size_t           _first;
  const size_t           _chunk_count;      // to search
  const size_t           _total_count;
  volatile size_t        _claimed;
  // The first chunk in which an object was left out.
  volatile size_t        _left_out;

  static HeapWord* bottom();
  static size_t chunks_until(const HeapWord* p);
  static size_t chunk_of(const HeapWord* p);
  size_t max_chunks() const;
  bool is_enough() const;
  bool is_wanted(oop obj) const;
  bool select_in(H2SelectClosure& cl, HeapWord* begin, HeapWord* end);

 protected:
  virtual void select(H2SelectClosure& cl);

 public:
  H2SelectUnhintedTask(H2Selection& selection, uint worker_count, H2Unhinted::Kind kind, uint group);

  bool is_empty() const         { return _chunk_count == 0; }
  bool is_lap() const           { return looked_at_words() == _total_count * ChunkWords; }
  size_t looked_at_words() const { return MIN2(_claimed, _chunk_count) * ChunkWords; }
  // Where the next search begins. Arrays have left all searched chunks. The exceptions are chunks
  // in which an array did not fit, and the last chunk, which may have been incomplete.
  HeapWord* cursor() const;
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTUNHINTEDTASK_HPP
