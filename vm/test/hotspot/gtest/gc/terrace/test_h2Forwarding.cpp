/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/os.hpp"
#include "unittest.hpp"

// The tables never read the memory they describe, so any addresses will do.
static HeapWord* const h1 = (HeapWord*)(uintptr_t)(64 * G);
static HeapWord* const h2 = (HeapWord*)(uintptr_t)(32 * G);
static const size_t words = 16 * M / HeapWordSize;
static const size_t block = H2Forwarding::BlockWords;
static H2Forwarding forwarding;

class H2ForwardingTest : public ::testing::Test {
 protected:
  static ParMarkBitMap* marks() { return PSParallelCompact::mark_bitmap(); }
  // Not SetUpTestSuite, because the VM starts with the first test.
  virtual void SetUp() {
    static bool done = false;
    if (!done) {
      ASSERT_TRUE(forwarding.initialize(MemRegion(h1, words)));
      // The test uses the collector's own bitmap.
      ASSERT_FALSE(UseParallelGC);
      ASSERT_TRUE(marks()->initialize(MemRegion(h1, words)));
      done = true;
    }
  }
  static bool move(HeapWord* p, size_t size, uint group) {
    marks()->mark_obj(p, size);
    // Groups 8 and 9 have one label. Each other group has a label of its own.
    static const uint label_of_group[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 8 };
    const bool claimed = forwarding.claim(p, size, group, label_of_group);
    forwarding.extend(p, p + size - 1);
    return claimed;
  }
  // Assigns addresses from to on to a piece.
  static void place(size_t piece, HeapWord* to) {
    forwarding.measure(piece);
    forwarding.set_destination(piece, to);
  }
  // The piece of the block that moves with this group.
  static size_t piece_of(size_t block, uint group) {
    size_t found = H2Forwarding::NoPiece;
    forwarding.pieces_do(block, [&](size_t piece) { found = forwarding.group_of(piece) == group ? piece : found; });
    return found;
  }
  // Moves adjacent objects of random sizes, and leaves gaps between some of them.
  struct Objects {
    static const int MaxCount = 20000;
    HeapWord* from[MaxCount];
    size_t    size[MaxCount];
    int       random[MaxCount];         // for what depends on the object
    int       count;
  };
  template <typename Group>
  static void move_random(int seed, Objects* objects, Group group_of) {
    HeapWord* p = h1;
    int& n = objects->count;
    for (n = 0; n < Objects::MaxCount; n++) {
      seed = os::next_random(seed);
      const size_t size = 2 + seed % (seed % 100 == 0 ? 500 : 20);
      const size_t gap = (seed >> 8) % 5;
      if (p + size + gap > h1 + words) {
        break;
      }
      objects->from[n] = p;
      objects->size[n] = size;
      objects->random[n] = seed;
      move(p, size, group_of(seed));
      if (gap >= 2) {
        marks()->mark_obj(p + size, gap);
      }
      p += size + gap;
    }
  }
  virtual void TearDown() {
    forwarding.clear();
    marks()->clear_range(0, marks()->size());
  }
};

TEST_VM_F(H2ForwardingTest, nothing_moves_at_first) {
  ASSERT_TRUE(forwarding.is_empty());
  ASSERT_FALSE(forwarding.is_moving(h1));
  ASSERT_EQ((uint)H2Forwarding::MaxGroups, forwarding.group_of(0));
}

TEST_VM_F(H2ForwardingTest, an_object_that_fills_its_last_block_ends_there) {
  move(h1 + 60, 4, 0);
  ASSERT_TRUE(forwarding.is_moving(h1 + 63));
  ASSERT_FALSE(forwarding.is_moving(h1 + 64));
  ASSERT_FALSE(forwarding.is_moving(h1 + 59));
  move(h1 + 128, 64, 0);
  ASSERT_TRUE(forwarding.is_moving(h1 + 191));
  ASSERT_FALSE(forwarding.is_moving(h1 + 192));
  ASSERT_EQ(2u, forwarding.last_block());
}

TEST_VM_F(H2ForwardingTest, words_of_an_object_from_the_block_before_do_not_shift) {
  move(h1 + 50, 30, 0);          // 16 words reach into block 1
  move(h1 + 90, 6, 1);
  move(h1 + 100, 4, 1);
  place(0, h2);
  place(1, h2 + 4096);
  ASSERT_EQ(h2, forwarding.destination(h1 + 50));
  ASSERT_EQ(h2 + 4096, forwarding.destination(h1 + 90));
  ASSERT_EQ(h2 + 4096 + 6, forwarding.destination(h1 + 100));
}

TEST_VM_F(H2ForwardingTest, groups_of_one_label_are_one_piece) {
  move(h1 + 8, 2, 8);
  move(h1 + 2, 2, 9);
  ASSERT_TRUE(forwarding.is_whole(0));
  ASSERT_EQ(8u, forwarding.group_of(0));
  ASSERT_EQ(8u, forwarding.group_of_object(h1 + 2));
}

TEST_VM_F(H2ForwardingTest, labels_of_one_block_move_apart) {
  move(h1 + 50, 17, 7);                 // its last words are in block 1
  move(h1 + 70, 2, 3);
  move(h1 + 80, 4, 5);
  move(h1 + 84, 2, 8);
  move(h1 + 86, 4, 3);
  move(h1 + 90, 6, 5);
  move(h1 + 100, 2, 9);
  move(h1 + 120, 100, 5);               // ends in a later block
  ASSERT_FALSE(forwarding.is_whole(1));
  ASSERT_EQ(3u, forwarding.group_of(1));
  ASSERT_EQ(5u, forwarding.group_of_object(h1 + 90));
  ASSERT_EQ(8u, forwarding.group_of_object(h1 + 100));
  ASSERT_EQ(2u, forwarding.mixed_count());
  const size_t of_5 = piece_of(1, 5);
  const size_t of_8 = piece_of(1, 8);
  place(0, h2 + 9000);
  place(1, h2);
  place(of_5, h2 + 1000);
  place(of_8, h2 + 3000);
  ASSERT_EQ(h2 + 9000, forwarding.destination(h1 + 50));
  ASSERT_EQ(h2, forwarding.destination(h1 + 70));
  ASSERT_EQ(h2 + 2, forwarding.destination(h1 + 86));
  ASSERT_EQ(h2 + 1000, forwarding.destination(h1 + 80));
  ASSERT_EQ(h2 + 1004, forwarding.destination(h1 + 90));
  ASSERT_EQ(h2 + 1010, forwarding.destination(h1 + 120));
  ASSERT_EQ(h2 + 3000, forwarding.destination(h1 + 84));
  ASSERT_EQ(h2 + 3002, forwarding.destination(h1 + 100));
}

TEST_VM_F(H2ForwardingTest, pieces_have_the_words_of_their_objects) {
  move(h1 + 70, 2, 3);
  move(h1 + 80, 4, 5);
  move(h1 + 84, 2, 8);
  move(h1 + 86, 4, 3);
  move(h1 + 90, 6, 5);
  move(h1 + 120, 100, 5);
  const size_t of_5 = piece_of(1, 5);
  forwarding.measure(1);
  forwarding.measure(of_5);
  ASSERT_EQ((size_t)2 + 4, forwarding.measured_words(1));
  ASSERT_EQ(h1 + 70, forwarding.measured_first(1));
  ASSERT_EQ((size_t)4 + 6 + 100, forwarding.measured_words(of_5));
  ASSERT_EQ(h1 + 80, forwarding.measured_first(of_5));
  ASSERT_EQ((size_t)4 + 6, forwarding.words_before(of_5, h1 + 120));
  const size_t expected[][2] = { { 80, 84 }, { 90, 96 }, { 120, 220 } };
  size_t count = 0;
  forwarding.runs_of_piece_do(of_5, [&](HeapWord* begin, HeapWord* end) {
    ASSERT_LT(count, ARRAY_SIZE(expected));
    ASSERT_EQ(h1 + expected[count][0], begin) << "run " << count;
    ASSERT_EQ(h1 + expected[count][1], end) << "run " << count;
    count++;
  });
  ASSERT_EQ(ARRAY_SIZE(expected), count);
}

// The block ends with an object of the first label, which goes on in the next block.
TEST_VM_F(H2ForwardingTest, only_one_piece_of_a_block_goes_on_in_the_next) {
  move(h1 + 62, 10, 1);
  move(h1 + 8, 4, 2);
  const size_t of_2 = piece_of(0, 2);
  forwarding.measure(0);
  forwarding.measure(of_2);
  ASSERT_EQ((size_t)10, forwarding.measured_words(0));
  ASSERT_EQ((size_t)4, forwarding.measured_words(of_2));
  forwarding.set_destination(0, h2);
  forwarding.set_destination(of_2, h2 + 100);
  ASSERT_EQ(h2, forwarding.destination(h1 + 62));
  ASSERT_EQ(h2 + 100, forwarding.destination(h1 + 8));
}

TEST_VM_F(H2ForwardingTest, labels_move_together_when_there_is_no_space_for_pieces) {
  // Eight labels in each block: seven pieces, and there is space for two per block.
  const size_t blocks = words / block;
  for (size_t b = 0; b < blocks; b++) {
    for (uint label = 0; label < 8; label++) {
      move(h1 + b * block + label * 8, 8, label);
    }
  }
  ASSERT_EQ(2 * blocks, forwarding.mixed_count());
  const size_t full = blocks - 1;
  ASSERT_TRUE(forwarding.is_whole(full));
  place(full, h2);
  ASSERT_EQ(h2 + 56, forwarding.destination(h1 + full * block + 56));
}

TEST_VM_F(H2ForwardingTest, numbers_of_blocks_and_pieces_have_32_bits) {
  const size_t blocks_of_terabyte = 1024 * G / HeapWordSize / block;
  ASSERT_EQ(2 * blocks_of_terabyte / 4, H2MixedBlocks::max_count(blocks_of_terabyte / 4));
  ASSERT_LT(blocks_of_terabyte + H2MixedBlocks::max_count(blocks_of_terabyte), (size_t)UINT32_MAX);
  ASSERT_LT((size_t)0, H2MixedBlocks::max_count(blocks_of_terabyte));
  ASSERT_EQ((size_t)0, H2MixedBlocks::max_count(UINT32_MAX - 1));
}

TEST_VM_F(H2ForwardingTest, an_object_is_claimed_once) {
  ASSERT_TRUE(move(h1 + 60, 10, 0));
  ASSERT_FALSE(move(h1 + 60, 10, 1));
  ASSERT_EQ(0u, forwarding.group_of(0));
  // Its neighbours share words of the table with it.
  ASSERT_TRUE(move(h1 + 58, 2, 1));
  ASSERT_TRUE(move(h1 + 70, 2, 1));
  ASSERT_EQ(1u, forwarding.group_of(1));
}

TEST_VM_F(H2ForwardingTest, finds_the_blocks_where_objects_start) {
  move(h1 + 3 * block, 5 * block, 0);
  move(h1 + 20 * block + 7, 2, 0);
  move(h1 + 21 * block, 2, 0);
  ASSERT_EQ(3u, forwarding.next_used(0, 100));
  ASSERT_EQ(20u, forwarding.next_used(4, 100));
  ASSERT_EQ(21u, forwarding.next_used(21, 100));
  ASSERT_EQ(100u, forwarding.next_used(22, 100));
  ASSERT_EQ(10u, forwarding.next_used(4, 10));
}

TEST_VM_F(H2ForwardingTest, measures) {
  move(h1 + block + 63, 3 * block, 0);
  forwarding.measure(1);
  ASSERT_EQ(3 * block, forwarding.measured_words(1));
  ASSERT_EQ(h1 + block + 63, forwarding.measured_first(1));
}

TEST_VM_F(H2ForwardingTest, runs_are_as_long_as_objects_are_adjacent) {
  move(h1 + 10, 4, 0);
  move(h1 + 14, 6, 1);
  move(h1 + 60, 4, 0);                  // ends at the end of a block
  move(h1 + 64, 64 + 3, 0);             // covers all of the next block
  move(h1 + 132, 2, 0);
  const size_t expected[][2] = { { 10, 20 }, { 60, 131 }, { 132, 134 } };
  size_t count = 0;
  forwarding.runs_do(h1, h1 + 3 * block, [&](HeapWord* begin, HeapWord* end) {
    ASSERT_LT(count, ARRAY_SIZE(expected));
    ASSERT_EQ(h1 + expected[count][0], begin) << "run " << count;
    ASSERT_EQ(h1 + expected[count][1], end) << "run " << count;
    count++;
  });
  ASSERT_EQ(ARRAY_SIZE(expected), count);
}

TEST_VM_F(H2ForwardingTest, runs_end_where_they_are_looked_for) {
  move(h1 + 10, 3 * block, 0);
  int count = 0;
  forwarding.runs_do(h1 + block, h1 + 2 * block, [&](HeapWord* begin, HeapWord* end) {
    ASSERT_EQ(h1 + block, begin);
    ASSERT_EQ(h1 + 2 * block, end);
    count++;
  });
  ASSERT_EQ(1, count);
}

TEST_VM_F(H2ForwardingTest, objects_of_a_block_are_those_that_start_in_it) {
  move(h1 + 60, 5, 0);                  // its last word is in block 1
  move(h1 + 65, 2, 0);
  ASSERT_EQ(h1 + 60, forwarding.begin_of_objects(0));
  ASSERT_EQ(h1 + 60, forwarding.last_object(0));
  ASSERT_EQ(h1 + 65, forwarding.end_of_objects(0));
  ASSERT_EQ(h1 + 65, forwarding.begin_of_objects(1));
  ASSERT_EQ(h1 + 2 * block, forwarding.end_of_objects(1));
}

TEST_VM_F(H2ForwardingTest, an_object_that_stays_begins_nothing) {
  marks()->mark_obj(h1 + 60, 6);
  move(h1 + 66, 2, 0);
  marks()->mark_obj(h1 + 126, 9);
  ASSERT_EQ(h1 + 66, forwarding.begin_of_objects(1));
  ASSERT_EQ(h1 + 2 * block, forwarding.end_of_objects(1));
}

TEST_VM_F(H2ForwardingTest, objects_meet_the_edges_of_their_block) {
  move(h1 + block, block, 0);           // fills the block
  move(h1 + 2 * block, 5, 0);
  move(h1 + 3 * block - 2, 2, 0);
  ASSERT_EQ(h1 + block, forwarding.begin_of_objects(1));
  ASSERT_EQ(h1 + block, forwarding.last_object(1));
  ASSERT_EQ(h1 + 2 * block, forwarding.end_of_objects(1));
  ASSERT_EQ(h1 + 2 * block, forwarding.begin_of_objects(2));
  ASSERT_EQ(h1 + 3 * block - 2, forwarding.last_object(2));
  ASSERT_EQ(h1 + 3 * block, forwarding.end_of_objects(2));
}

TEST_VM_F(H2ForwardingTest, only_the_last_word_of_a_block_starts_an_object) {
  move(h1 + 7, 2 * block - 8, 0);       // ends before that word
  move(h1 + 2 * block - 1, 40 * block, 0);
  ASSERT_EQ(h1 + 2 * block - 1, forwarding.begin_of_objects(1));
  ASSERT_EQ(h1 + 2 * block - 1, forwarding.last_object(1));
  ASSERT_EQ(h1 + 42 * block - 1, forwarding.end_of_objects(1));
}

TEST_VM_F(H2ForwardingTest, sorts_pieces_by_the_position_of_their_group) {
  ResourceMark rm;
  const uint groups[] = { 2, 0, 1, 2, 1, 0, 0 };
  for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
    move(h1 + (10 + 3 * i) * block + 5, 4, groups[i]);
  }
  move(h1 + 16 * block + 20, 4, 0);
  const uint position[] = { 1, 2, 0 };
  forwarding.sort(position, 3);
  const size_t expected[] = { 10, 19, 13, piece_of(16, 0), 25, 28, 16, 22 };
  size_t piece = forwarding.first_piece();
  for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
    ASSERT_EQ(expected[i], piece) << "place " << i;
    piece = forwarding.next_piece(piece);
  }
  ASSERT_EQ((size_t)H2Forwarding::NoPiece, piece);
}

// Each label goes to addresses of its own, in the order of its objects.
TEST_VM_F(H2ForwardingTest, random_labels_are_apart) {
  ResourceMark rm;
  static Objects objects;
  auto group_of = [](int random) { return (uint)(random >> 12) % 4; };
  move_random(23, &objects, group_of);
  const size_t end = forwarding.last_block() + 1;
  for (size_t b = forwarding.next_used(0, end); b < end; b = forwarding.next_used(b + 1, end)) {
    forwarding.pieces_do(b, [](size_t piece) { forwarding.measure(piece); });
  }
  const uint position[] = { 0, 1, 2, 3 };
  forwarding.sort(position, 4);
  HeapWord* to[] = { h2, h2 + words, h2 + 2 * words, h2 + 3 * words };
  for (size_t piece = forwarding.first_piece(); piece != H2Forwarding::NoPiece; piece = forwarding.next_piece(piece)) {
    const uint g = forwarding.group_of(piece);
    const size_t size = forwarding.measured_words(piece);
    size_t in_runs = 0;
    forwarding.runs_of_piece_do(piece, [&](HeapWord* begin, HeapWord* end) { in_runs += pointer_delta(end, begin); });
    ASSERT_EQ(size, in_runs) << "piece " << piece;
    forwarding.set_destination(piece, to[g]);
    to[g] += size;
  }
  HeapWord* expected[] = { h2, h2 + words, h2 + 2 * words, h2 + 3 * words };
  for (int i = 0; i < objects.count; i++) {
    const uint group = group_of(objects.random[i]);
    ASSERT_EQ(expected[group], forwarding.destination(objects.from[i])) << "object " << i;
    ASSERT_EQ(group, forwarding.group_of_object(objects.from[i])) << "object " << i;
    expected[group] += objects.size[i];
  }
}

TEST_VM_F(H2ForwardingTest, random_objects_keep_their_order_and_sizes) {
  static Objects objects;
  static HeapWord* expected[Objects::MaxCount];
  move_random(17, &objects, [](int) { return 0u; });
  HeapWord* const* const from = objects.from;
  const int n = objects.count;
  HeapWord* to = h2;
  for (int i = 0; i < n; i++) {
    if (i == 0 || forwarding.block_of(from[i]) != forwarding.block_of(from[i - 1])) {
      to += (objects.random[i] >> 16) % 2 == 0 ? 0 : 1000; // as if a new region began
      place(forwarding.block_of(from[i]), to);
    }
    expected[i] = to;
    to += objects.size[i];
  }
  for (int i = 0; i < n; i++) {
    ASSERT_EQ(expected[i], forwarding.destination(from[i])) << "object " << i;
  }
  for (int i = 0, next; i < n; i = next) {
    const size_t b = forwarding.block_of(from[i]);
    for (next = i; next < n && forwarding.block_of(from[next]) == b; next++) {}
    ASSERT_EQ(from[i], forwarding.begin_of_objects(b)) << "object " << i;
    forwarding.measure(b);
    ASSERT_EQ(expected[next - 1] + objects.size[next - 1], expected[i] + forwarding.measured_words(b)) << "object " << i;
    if (forwarding.is_moving(forwarding.block_start(b + 1) - 1)) {
      ASSERT_EQ(from[next - 1], forwarding.last_object(b)) << "object " << i;
    }
  }
}

TEST_VM_F(H2ForwardingTest, clear_leaves_nothing) {
  move(h1 + 5, words / 2, 7);
  move(h1 + 2, 2, 5);
  forwarding.clear();
  ASSERT_EQ((size_t)0, forwarding.mixed_count());
  ASSERT_TRUE(forwarding.is_whole(0));
  ASSERT_TRUE(forwarding.is_empty());
  for (size_t i = 0; i < words; i += 61) {
    ASSERT_FALSE(forwarding.is_moving(h1 + i)) << "word " << i;
  }
  ASSERT_EQ((uint)H2Forwarding::MaxGroups, forwarding.group_of(0));
}
