/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2FORWARDING_HPP
#define SHARE_GC_TERRACE_H2_H2FORWARDING_HPP

#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/population_count.hpp"

// Which H1 objects move to H2 in this collection, and where to. Kept beside
// the heap, since compaction overwrites moved objects while references to
// them are still being adjusted. Per block of 64 words of H1:
//
//   _words   a bit per word, set for all words of moving objects
//   _base    new address of the first moving object that starts in the
//            block, less the moving words before it in the block; before
//            addresses are known, what they are computed from
//   _group   index + 1 of the group that takes the objects that start in the
//            block; 0: none start here
//
// All objects that start in one block go to one run of regions, next to each
// other and in order; so an object moves to
//
//   _base[block] + number of bits set before it in _words[block]
//
// Besides, _order lists the blocks in which moving objects start, in the order
// in which they go to H2.
//
// Twenty-four bytes per 512 of H1, reserved and committed at start, resident
// only for blocks from which objects move.
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
  // Blocks [_first, _last] have been written to.
  static volatile size_t _first;
  static volatile size_t _last;

  static BitMapView words() { return BitMapView((BitMap::bm_word_t*)_words, _block_count * BlockWords); }

  // Within the block of p.
  static size_t moving_words_before(const HeapWord* p) {
    const size_t offset = pointer_delta(p, _bottom);
    const uint64_t before = ((uint64_t)1 << (offset % BlockWords)) - 1;
    return population_count(_words[offset / BlockWords] & before);
  }

 public:
  // False if there is no memory.
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

  // Makes an object one that moves. True for the one caller who did. Callers
  // tell the extent of what they claimed before anyone but claim() looks.
  static bool claim(HeapWord* p, size_t size, uint group);
  // Before a claim.
  static inline void prefetch(const HeapWord* p);
  static void extend(const HeapWord* lowest, const HeapWord* highest);

  // MaxGroups if no moving object starts in the block.
  static uint group_of(size_t block)         { return _group[block] == 0 ? MaxGroups : _group[block] - 1u; }
  // The first block from here on, but before end, in which a moving object of
  // any group starts; end if there is none.
  static size_t next_used(size_t block, size_t end);

  // Of a block in which moving objects start, all of them still marked: the
  // first one; the last one, if the last word of the block belongs to it; the
  // end of the last one, which may lie in a later block, and that of the block
  // if its last word stays.
  static inline HeapWord* begin_of_objects(size_t block);
  static inline HeapWord* last_object(size_t block);
  static inline HeapWord* end_of_objects(size_t block);
  static size_t moving_words_in(const HeapWord* begin, const HeapWord* end);
  // Calls function(begin, end) for each range of adjacent moving words in
  // [begin, end).
  template <typename Function>
  static inline void runs_do(const HeapWord* begin, const HeapWord* end, Function function);

  // Per block in which moving objects start: their words, and the first one.
  static void set_measure(size_t block, const HeapWord* first, size_t words) {
    _base[block] = (HeapWord*)(words * BlockWords + pointer_delta(first, block_start(block)));
  }
  static size_t measured_words(size_t block)      { return (uintptr_t)_base[block] / BlockWords; }
  static HeapWord* measured_first(size_t block) {
    return block_start(block) + (uintptr_t)_base[block] % BlockWords;
  }
  static void set_destination(HeapWord* first_in_block, HeapWord* to);

  // Sorts the blocks in which moving objects start: by the position of their
  // group, and by address within a group. position[g] counts from 0 to
  // group_count - 1, each number once.
  static void sort(const uint* position, uint group_count);
  static size_t ordered_count()              { return _ordered; }
  static size_t ordered(size_t i)            { return _order[i]; }

  static HeapWord* destination(const HeapWord* p) {
    return _base[block_of(p)] + moving_words_before(p);
  }

  // Lets references be redirected from here on, until clear().
  static void publish();
  static void clear();
};

#endif // SHARE_GC_TERRACE_H2_H2FORWARDING_HPP
