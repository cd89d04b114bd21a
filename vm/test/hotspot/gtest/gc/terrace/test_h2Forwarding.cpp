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
    const bool claimed = forwarding.claim(p, size, group);
    forwarding.extend(p, p + size - 1);
    return claimed;
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
  forwarding.set_destination(h1 + 50, h2);
  forwarding.set_destination(h1 + 90, h2 + 4096);
  ASSERT_EQ(h2, forwarding.destination(h1 + 50));
  ASSERT_EQ(h2 + 4096, forwarding.destination(h1 + 90));
  ASSERT_EQ(h2 + 4096 + 6, forwarding.destination(h1 + 100));
}

TEST_VM_F(H2ForwardingTest, the_first_label_in_a_block_has_it) {
  move(h1 + 8, 2, 3);
  move(h1 + 2, 2, 5);
  ASSERT_EQ(3u, forwarding.group_of(0));
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
  forwarding.set_measure(1, h1 + block + 63, 3 * block);
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
  ASSERT_EQ((size_t)10 + 71 + 2, forwarding.moving_words_in(h1, h1 + 3 * block));
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
  ASSERT_EQ(block - 3, forwarding.moving_words_in(h1 + block, h1 + 2 * block - 3));
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

TEST_VM_F(H2ForwardingTest, sorts_blocks_by_the_position_of_their_group) {
  ResourceMark rm;
  const uint groups[] = { 2, 0, 1, 2, 1, 0, 0 };
  for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
    move(h1 + (10 + 3 * i) * block + 5, 4, groups[i]);
  }
  const uint position[] = { 1, 2, 0 };
  forwarding.sort(position, 3);
  const size_t expected[] = { 10, 19, 13, 25, 28, 16, 22 };
  ASSERT_EQ(ARRAY_SIZE(expected), forwarding.ordered_count());
  for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
    ASSERT_EQ(expected[i], forwarding.ordered(i)) << "place " << i;
  }
}

TEST_VM_F(H2ForwardingTest, random_objects_keep_their_order_and_sizes) {
  int seed = 17;
  HeapWord* p = h1;
  HeapWord* to = h2;
  size_t placed_block = SIZE_MAX;
  const int count = 20000;
  static HeapWord* from[count];
  static HeapWord* expected[count];
  int n = 0;
  for (; n < count; n++) {
    seed = os::next_random(seed);
    const size_t size = 2 + seed % (seed % 100 == 0 ? 500 : 20);
    const size_t gap = (seed >> 8) % 5;
    if (p + size + gap > h1 + words) {
      break;
    }
    move(p, size, 0);
    if (gap >= 2) {
      marks()->mark_obj(p + size, gap);
    }
    if (forwarding.block_of(p) != placed_block) {
      placed_block = forwarding.block_of(p);
      to += (seed >> 16) % 2 == 0 ? 0 : 1000; // as if a new region began
      forwarding.set_destination(p, to);
    }
    from[n] = p;
    expected[n] = to;
    to += size;
    p += size + gap;
  }
  for (int i = 0; i < n; i++) {
    ASSERT_EQ(expected[i], forwarding.destination(from[i])) << "object " << i;
  }
  for (int i = 0, next; i < n; i = next) {
    const size_t b = forwarding.block_of(from[i]);
    for (next = i; next < n && forwarding.block_of(from[next]) == b; next++) {}
    ASSERT_EQ(from[i], forwarding.begin_of_objects(b)) << "object " << i;
    const size_t moving = forwarding.moving_words_in(from[i], forwarding.end_of_objects(b));
    ASSERT_EQ(expected[next - 1] + marks()->obj_size(from[next - 1]), expected[i] + moving) << "object " << i;
    if (forwarding.is_moving(forwarding.block_start(b + 1) - 1)) {
      ASSERT_EQ(from[next - 1], forwarding.last_object(b)) << "object " << i;
    }
  }
}

TEST_VM_F(H2ForwardingTest, clear_leaves_nothing) {
  move(h1 + 5, words / 2, 7);
  forwarding.clear();
  ASSERT_TRUE(forwarding.is_empty());
  for (size_t i = 0; i < words; i += 61) {
    ASSERT_FALSE(forwarding.is_moving(h1 + i)) << "word " << i;
  }
  ASSERT_EQ((uint)H2Forwarding::MaxGroups, forwarding.group_of(0));
}
