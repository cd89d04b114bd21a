/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2MIXEDBLOCKS_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2MIXEDBLOCKS_HPP

#include "utilities/globalDefinitions.hpp"

class Mutex;

// The blocks of H2Forwarding in which moving objects of several labels start. The objects of the first label
// are in the tables of H2Forwarding. Each other label of the block has a piece here. The pieces of a
// block form a list.
//
// The pieces of a block are at most as many as its objects. There is space for twice as many pieces as H1
// has blocks, and it is committed when it is needed. When none is left, further objects move with the first
// label of their block. This bounds the memory of the pieces by an eighth of H1.
class H2MixedBlocks {
 public:
  struct Piece {
    volatile uint64_t words;            // the words of the block that belong to its objects
    uintptr_t         value;            // of H2Forwarding: the measure, then the new address
    uint32_t          block;
    uint32_t          group;
    uint32_t          next_in_block;    // index + 1, or 0
    uint32_t          next_in_order;    // of H2Forwarding
  };

 private:
  static const size_t PiecesPerBlock = 2;
  static const size_t CommittedAtOnce = 32 * K;

  volatile uint32_t* _first;            // per block, the index + 1 of its first piece, or 0
  Piece*             _pieces;
  size_t             _max;
  volatile size_t    _committed;
  volatile size_t    _count;            // may exceed _max
  Mutex*             _lock;             // protects _committed

  NONCOPYABLE(H2MixedBlocks);

  bool commit(size_t count);
  Piece* find(uint32_t first, uint32_t end, uint label, const uint* label_of_group) const;

 public:
  constexpr H2MixedBlocks() : _first(NULL), _pieces(NULL), _max(0), _committed(0), _count(0), _lock(NULL) {}

  // The maximum number of pieces. Blocks and pieces together have numbers of 32 bits.
  static size_t max_count(size_t block_count);

  // Returns false if there is no memory for the tables.
  bool initialize(size_t block_count);

  // Adds the words of an object to the piece of its label. Called by any number of workers. Returns
  // false if there is no space for a piece.
  bool add(size_t block, uint64_t words, uint group, const uint* label_of_group);

  bool   is_mixed(size_t block) const     { return _first[block] != 0; }
  size_t count() const                    { return MIN2(_count, _committed); }
  Piece& piece(size_t i) const            { return _pieces[i]; }

  // Calls function(i) for each piece of the block.
  template <typename Function> void pieces_do(size_t block, Function function) const {
    for (uint32_t i = _first[block]; i != 0; i = _pieces[i - 1].next_in_block) {
      function((size_t)i - 1);
    }
  }
  // Returns the piece with these words, or NULL. Otherwise sets *others to the words of all pieces.
  const Piece* piece_with(size_t block, uint64_t words, uint64_t* others) const {
    uint64_t all = 0;
    for (uint32_t i = _first[block]; i != 0; i = _pieces[i - 1].next_in_block) {
      const Piece& piece = _pieces[i - 1];
      if ((piece.words & words) != 0) {
        return &piece;
      }
      all |= piece.words;
    }
    *others = all;
    return NULL;
  }

  // Forgets the pieces of these blocks, which are all pieces.
  void clear(size_t first_block, size_t last_block);
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2MIXEDBLOCKS_HPP
