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

#include "memory/allStatic.hpp"
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
class H2Forwarding : public AllStatic {
 public:
  static const size_t BlockWords = 64;
  static const uint   MaxGroups = max_juint - 1;

 private:
  static HeapWord*  _bottom;
  static size_t     _block_count;
  static uint64_t*  _words;
  static HeapWord** _base;
  static uint32_t*  _group;
  static uint32_t*  _order;
  static size_t     _ordered;
  // The entries of blocks [_first, _last] have been written.
  static volatile size_t _first;
  static volatile size_t _last;

  static BitMapView words() { return BitMapView((BitMap::bm_word_t*)_words, _block_count * BlockWords); }

  // The number of moving words before p in its block.
  static size_t moving_words_before(const HeapWord* p) {
    const size_t offset = pointer_delta(p, _bottom);
    const uint64_t before = ((uint64_t)1 << (offset % BlockWords)) - 1;
    return population_count(_words[offset / BlockWords] & before);
  }

 public:
  // Returns false if there is no memory for the tables.
  static bool initialize(MemRegion h1);

  static size_t block_of(const HeapWord* p)  { return pointer_delta(p, _bottom) / BlockWords; }
  static HeapWord* block_start(size_t block) { return _bottom + block * BlockWords; }
  static size_t first_block()                { return _first; }
  static size_t last_block()                 { return _last; }
  static bool   is_empty()                   { return _first > _last; }

  static bool is_moving(const HeapWord* p) {
    const size_t offset = pointer_delta(p, _bottom);
    return (_words[offset / BlockWords] >> (offset % BlockWords)) & 1;
  }
  static bool is_moving(oop obj)             { return is_moving(cast_from_oop<HeapWord*>(obj)); }

  // Whether the collection has marked the object of H1. Ends when the transfer removes the marks of what it moves.
  static inline bool is_marked(oop obj);

  // Marks an object as moving. Returns true for the one caller that did so. Callers must report
  // the range of their claimed objects to extend() before the blocks are iterated.
  static bool claim(HeapWord* p, size_t size, uint group);
  // Prefetches the entries that a claim of p will need.
  static inline void prefetch(const HeapWord* p);
  static void extend(const HeapWord* lowest, const HeapWord* highest);

  // Returns MaxGroups if no moving object starts in the block.
  static uint group_of(size_t block)         { return _group[block] == 0 ? MaxGroups : _group[block] - 1u; }
  // Returns the first block in [block, end) in which a moving object starts, or end.
  static size_t next_used(size_t block, size_t end);

  // For a block in which moving objects start, all of which are still marked:
  // begin_of_objects is the first of these objects. last_object is the last one, if the last
  // word of the block belongs to it. end_of_objects is the end of the last object, which may be
  // in a later block, or the end of the block if its last word does not move.
  static inline HeapWord* begin_of_objects(size_t block);
  static inline HeapWord* last_object(size_t block);
  static inline HeapWord* end_of_objects(size_t block);
  static size_t moving_words_in(const HeapWord* begin, const HeapWord* end);
  // Calls function(begin, end) for each range of adjacent moving words in
  // [begin, end).
  template <typename Function>
  static inline void runs_do(const HeapWord* begin, const HeapWord* end, Function function);

  // The measure of a block in which moving objects start: the number of their words, and the first object.
  static void set_measure(size_t block, const HeapWord* first, size_t words) {
    _base[block] = (HeapWord*)(words * BlockWords + pointer_delta(first, block_start(block)));
  }
  static size_t measured_words(size_t block)      { return (uintptr_t)_base[block] / BlockWords; }
  static HeapWord* measured_first(size_t block) {
    return block_start(block) + (uintptr_t)_base[block] % BlockWords;
  }
  static void set_destination(HeapWord* first_in_block, HeapWord* to);

  // Sorts the blocks in which moving objects start by the position of their group, and by
  // address within a group. position is a permutation of 0 to group_count - 1.
  static void sort(const uint* position, uint group_count);
  static size_t ordered_count()              { return _ordered; }
  static size_t ordered(size_t i)            { return _order[i]; }

  static HeapWord* destination(const HeapWord* p) {
    return _base[block_of(p)] + moving_words_before(p);
  }

  // References to moving objects are redirected from now on, until clear().
  static void publish();
  static void clear();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2FORWARDING_HPP
