/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_HPP

#include "gc/terrace/h2/transfer/h2MixedBlocks.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/population_count.hpp"

// Tables of the H1 objects that move to H2 in this collection, and of their new addresses.
// The tables are separate from the heap, because compaction overwrites moved objects while
// references to them are still being adjusted. Per block of 64 words of H1:
//
//   _words   a bit per word, set for all words of moving objects
//   _base    the new address of the first moving object that starts in the block, minus the
//            number of moving words before it in the block. Before addresses are assigned,
//            the measure of the block
//   _group   index + 1 of the group of the objects that start in the block; 0: none start here
//   _next    the piece that follows in the order of the copies
//
// Objects of one label that start in one block are a *piece*. They go to one run of regions, adjacent and
// in order, with the group of the object that was claimed first. Most blocks have one piece, and an
// object in such a block moves to
//
//   _base[block] + number of bits set before it in _words[block]
//
// If objects of several labels start in a block, H2MixedBlocks has the pieces of all labels but the
// first. Bit 0 of _base says so. Then only bits of the object's own piece count.
//
// Pieces have a number: the block for the first piece of a block, and the number of all blocks plus the index
// in H2MixedBlocks for others.
//
// The tables take 28 bytes per 512 bytes of H1. They are reserved and committed at start, but
// only the entries of blocks with moving objects become resident.
class H2Forwarding {
 public:
  static const size_t BlockWords = 64;
  static const uint   MaxGroups = max_juint - 1;
  // The number of no piece.
  static const size_t NoPiece = SIZE_MAX;

 private:
  // An object, because a pointer to it would be read for each reference.
  static H2Forwarding _of_h2;

  HeapWord*  _bottom;
  size_t     _block_count;
  uint64_t*  _words;
  uintptr_t* _base;
  uint32_t*  _group;
  uint32_t*  _next;                     // number + 1, or 0
  size_t     _first_piece;
  H2MixedBlocks _mixed;
  // The entries of blocks [_first, _last] have been written.
  volatile size_t _first;
  volatile size_t _last;

  NONCOPYABLE(H2Forwarding);

  BitMapView words() const { return BitMapView((BitMap::bm_word_t*)_words, _block_count * BlockWords); }

  // The bit of the word in its block.
  uint64_t bit_of(const HeapWord* p) const   { return (uint64_t)1 << (pointer_delta(p, _bottom) % BlockWords); }
  // The number of moving words before p in its block.
  size_t moving_words_before(const HeapWord* p) const {
    return population_count(_words[block_of(p)] & (bit_of(p) - 1));
  }
  bool is_first(size_t piece) const          { return piece < _block_count; }
  H2MixedBlocks::Piece& other(size_t piece) const { return _mixed.piece(piece - _block_count); }
  uintptr_t& value_of(size_t piece) const    { return is_first(piece) ? _base[piece] : other(piece).value; }
  // The words of the block that do not belong to other pieces than the first.
  uint64_t words_of_first(size_t block) const;
  void set_next(size_t piece, size_t next);
  HeapWord* destination_in_mixed(const HeapWord* p) const;

 public:
  constexpr H2Forwarding() :
    _bottom(NULL), _block_count(0), _words(NULL), _base(NULL), _group(NULL), _next(NULL), _first_piece(NoPiece), _mixed(),
    _first(SIZE_MAX), _last(0) {}

  static H2Forwarding& of_h2()        { return _of_h2; }

  // Returns false if there is no memory for the tables.
  bool initialize(MemRegion h1);

  size_t block_of(const HeapWord* p) const  { return pointer_delta(p, _bottom) / BlockWords; }
  HeapWord* block_start(size_t block) const { return _bottom + block * BlockWords; }
  size_t first_block() const                { return _first; }
  size_t last_block() const                 { return _last; }
  bool   is_empty() const                   { return _first > _last; }

  bool is_moving(const HeapWord* p) const {
    const size_t offset = pointer_delta(p, _bottom);
    return (_words[offset / BlockWords] >> (offset % BlockWords)) & 1;
  }
  bool is_moving(oop obj) const              { return is_moving(cast_from_oop<HeapWord*>(obj)); }

  // Whether the collection has marked the object of H1. Ends when the transfer removes the marks of what it moves.
  static inline bool is_marked(oop obj);

  // Marks an object as moving. Returns true for the one caller that did so. Callers must report
  // the range of their claimed objects to extend() before the blocks are iterated. label_of_group has the index
  // of the label for each group.
  bool claim(HeapWord* p, size_t size, uint group, const uint* label_of_group);
  // Prefetches the entries that a claim of p will need.
  inline void prefetch(const HeapWord* p) const;
  void extend(const HeapWord* lowest, const HeapWord* highest);

  // The group with which an object moves.
  uint group_of_object(const HeapWord* p) const;
  // Returns the first block in [block, end) in which a moving object starts, or end.
  size_t next_used(size_t block, size_t end) const;

  // For a block in which moving objects start, all of which are still marked:
  // begin_of_objects is the first of these objects. last_object is the last one, if the last
  // word of the block belongs to it. end_of_objects is the end of the last object, which may be
  // in a later block, or the end of the block if its last word does not move.
  inline HeapWord* begin_of_objects(size_t block) const;
  inline HeapWord* last_object(size_t block) const;
  inline HeapWord* end_of_objects(size_t block) const;
  // Calls function(begin, end) for each range of adjacent moving words in
  // [begin, end).
  template <typename Function>
  inline void runs_do(const HeapWord* begin, const HeapWord* end, Function function) const;

  // Calls function(piece) for each piece of a block.
  template <typename Function>
  inline void pieces_do(size_t block, Function function) const;
  // Returns MaxGroups if no moving object starts in the block.
  uint   group_of(size_t piece) const;
  size_t block_of_piece(size_t piece) const;
  // Whether the piece has all moving objects that start in its block.
  bool   is_whole(size_t piece) const        { return is_first(piece) && !_mixed.is_mixed(piece); }
  // The words of the block that belong to the objects of the piece.
  inline uint64_t words_of(size_t piece) const;
  // Sets the measure of a piece: the number of its words, with those in later blocks, and its first object.
  inline void measure(size_t piece);
  size_t measured_words(size_t piece) const  { return value_of(piece) / BlockWords; }
  HeapWord* measured_first(size_t piece) const {
    return block_start(block_of_piece(piece)) + value_of(piece) % BlockWords;
  }
  // The measured piece goes to these addresses.
  void set_destination(size_t piece, HeapWord* to);
  // The words of the piece before this address in its block.
  size_t words_before(size_t piece, const HeapWord* p) const { return population_count(words_of(piece) & (bit_of(p) - 1)); }
  // Calls function(begin, end) for each range of adjacent words of the piece.
  template <typename Function>
  inline void runs_of_piece_do(size_t piece, Function function) const;

  // Sorts the pieces by the position of their group, and by address within a group. position is a
  // permutation of 0 to group_count - 1.
  void sort(const uint* position, uint group_count);
  size_t first_piece() const                 { return _first_piece; }
  size_t next_piece(size_t piece) const      { return (size_t)(is_first(piece) ? _next[piece] : other(piece).next_in_order) - 1; }
  size_t mixed_count() const                 { return _mixed.count(); }

  HeapWord* destination(const HeapWord* p) const {
    const uintptr_t base = _base[block_of(p)];
    return (base & 1) == 0 ? (HeapWord*)base + moving_words_before(p) : destination_in_mixed(p);
  }

  // References to moving objects are redirected from now on, until clear().
  void publish();
  void clear();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_HPP
