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
//
// All objects that start in one block go to one run of regions, adjacent and in order. An
// object therefore moves to
//
//   _base[block] + number of bits set before it in _words[block]
//
// In addition, _order lists the blocks in which moving objects start, in the order in which
// they go to H2.
//
// The tables take 24 bytes per 512 bytes of H1. They are reserved and committed at start, but
// only the entries of blocks with moving objects become resident.
class H2Forwarding {
 public:
  static const size_t BlockWords = 64;
  static const uint   MaxGroups = max_juint - 1;

 private:
  // An object, because a pointer to it would be read for each reference.
  static H2Forwarding _of_h2;

  HeapWord*  _bottom;
  size_t     _block_count;
  uint64_t*  _words;
  HeapWord** _base;
  uint32_t*  _group;
  uint32_t*  _order;
  size_t     _ordered;
  // The entries of blocks [_first, _last] have been written.
  volatile size_t _first;
  volatile size_t _last;

  NONCOPYABLE(H2Forwarding);

  BitMapView words() const { return BitMapView((BitMap::bm_word_t*)_words, _block_count * BlockWords); }

  // The number of moving words before p in its block.
  size_t moving_words_before(const HeapWord* p) const {
    const size_t offset = pointer_delta(p, _bottom);
    const uint64_t before = ((uint64_t)1 << (offset % BlockWords)) - 1;
    return population_count(_words[offset / BlockWords] & before);
  }

 public:
  constexpr H2Forwarding() :
    _bottom(NULL), _block_count(0), _words(NULL), _base(NULL), _group(NULL), _order(NULL), _ordered(0), _first(SIZE_MAX), _last(0) {}

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
  // the range of their claimed objects to extend() before the blocks are iterated.
  bool claim(HeapWord* p, size_t size, uint group);
  // Prefetches the entries that a claim of p will need.
  inline void prefetch(const HeapWord* p) const;
  void extend(const HeapWord* lowest, const HeapWord* highest);

  // Returns MaxGroups if no moving object starts in the block.
  uint group_of(size_t block) const          { return _group[block] == 0 ? MaxGroups : _group[block] - 1u; }
  // Returns the first block in [block, end) in which a moving object starts, or end.
  size_t next_used(size_t block, size_t end) const;

  // For a block in which moving objects start, all of which are still marked:
  // begin_of_objects is the first of these objects. last_object is the last one, if the last
  // word of the block belongs to it. end_of_objects is the end of the last object, which may be
  // in a later block, or the end of the block if its last word does not move.
  inline HeapWord* begin_of_objects(size_t block) const;
  inline HeapWord* last_object(size_t block) const;
  inline HeapWord* end_of_objects(size_t block) const;
  size_t moving_words_in(const HeapWord* begin, const HeapWord* end) const;
  // Calls function(begin, end) for each range of adjacent moving words in
  // [begin, end).
  template <typename Function>
  inline void runs_do(const HeapWord* begin, const HeapWord* end, Function function) const;

  // The measure of a block in which moving objects start: the number of their words, and the first object.
  void set_measure(size_t block, const HeapWord* first, size_t words) {
    _base[block] = (HeapWord*)(words * BlockWords + pointer_delta(first, block_start(block)));
  }
  size_t measured_words(size_t block) const  { return (uintptr_t)_base[block] / BlockWords; }
  HeapWord* measured_first(size_t block) const {
    return block_start(block) + (uintptr_t)_base[block] % BlockWords;
  }
  void set_destination(HeapWord* first_in_block, HeapWord* to);

  // Sorts the blocks in which moving objects start by the position of their group, and by
  // address within a group. position is a permutation of 0 to group_count - 1.
  void sort(const uint* position, uint group_count);
  size_t ordered_count() const               { return _ordered; }
  size_t ordered(size_t i) const             { return _order[i]; }

  HeapWord* destination(const HeapWord* p) const {
    return _base[block_of(p)] + moving_words_before(p);
  }

  // References to moving objects are redirected from now on, until clear().
  void publish();
  void clear();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_HPP
