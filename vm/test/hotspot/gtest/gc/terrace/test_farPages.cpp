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
#include "gc/terrace/far/farPages.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"
#include "unittest.hpp"

TEST(FarPageSet, is_a_set_of_pages_of_its_chunk) {
  FarPageSet set;
  set.reset(1024);
  ASSERT_TRUE(set.is_empty());
  ASSERT_FALSE(set.contains(0));
  for (size_t page : { (size_t)1024, (size_t)1087, (size_t)1088, (size_t)1535 }) {
    set.add(page);
    ASSERT_TRUE(set.contains(page));
  }
  ASSERT_FALSE(set.contains(1025));
  ASSERT_FALSE(set.contains(1023));
  ASSERT_FALSE(set.contains(1536));
  ASSERT_EQ((size_t)1024, set.next(1024));
  ASSERT_EQ((size_t)1087, set.next(1025));
  ASSERT_EQ((size_t)1088, set.next(1088));
  ASSERT_EQ((size_t)1535, set.next(1089));
  ASSERT_EQ((size_t)1536, set.next(1536));
  set.reset(0);
  ASSERT_TRUE(set.is_empty());
  ASSERT_EQ((size_t)512, set.next(0));
}

// Creates a map for a memory range that is not a heap.
class FarPagesTest : public ::testing::Test {
 protected:
  static const size_t Count = 4 * FarPages::ChunkPages;

  static char* range() {
    static char* reserved = NULL;
    if (reserved == NULL) {
      const size_t size = Count * os::vm_page_size();
      reserved = os::reserve_memory(size, !ExecMem, mtTest);
      EXPECT_TRUE(os::commit_memory(reserved, size, !ExecMem));
      EXPECT_EQ((const char*)NULL, FarPages::initialize(MemRegion((HeapWord*)reserved, size / HeapWordSize)));
    }
    return reserved;
  }

  virtual void SetUp() {
    memset(range(), 1, Count * os::vm_page_size());
    FarPages::put_absent(0, Count, false);
    FarPages::give_back(0, Count);
  }

  static void put_absent(size_t from, size_t to) { FarPages::put_absent(from, to, true); }
  static char* address_of(size_t page)           { return FarPages::address_of(page); }

  static size_t ask_for(FarPageSet& wanted, size_t limit) {
    size_t refused = 0;
    const size_t asked = FarPages::ask_for(wanted, limit, refused);
    EXPECT_EQ((size_t)0, refused);
    return asked;
  }

  static size_t ask_for(FarPageSet& wanted) { return ask_for(wanted, wanted.limit()); }
};

TEST_VM_F(FarPagesTest, finds_pages_by_address) {
  ASSERT_EQ((size_t)Count, FarPages::count());
  ASSERT_EQ((size_t)0, FarPages::page_of(range()));
  ASSERT_EQ((size_t)1, FarPages::page_of(range() + os::vm_page_size()));
  ASSERT_EQ(Count - 1, FarPages::page_of(range() + Count * os::vm_page_size() - 1));
  ASSERT_EQ((HeapWord*)address_of(7), FarPages::bottom_of(7));
}

TEST_VM_F(FarPagesTest, takes_what_is_in_memory_for_present) {
  put_absent(3, 700);
  ASSERT_TRUE(FarPages::is_absent(3));
  FarPages::refresh(0, Count);         // the memory has just been written
  ASSERT_EQ((size_t)0, FarPages::absent_count());
}

static int steps_left;
static bool should_stop() { return steps_left-- == 0; }

TEST_VM_F(FarPagesTest, stops_the_search_when_it_must) {
  put_absent(0, Count);
  steps_left = 2;
  ASSERT_EQ((size_t)600, FarPages::refresh_until(should_stop, 300));
  ASSERT_FALSE(FarPages::is_absent(599));
  ASSERT_EQ(Count - 600, FarPages::absent_count()); // the map has not changed there
  steps_left = INT_MAX;
  ASSERT_EQ((size_t)Count, FarPages::refresh_until(should_stop, 300));
  ASSERT_EQ((size_t)0, FarPages::absent_count());
  put_absent(0, Count);
  steps_left = 0;
  ASSERT_EQ((size_t)0, FarPages::refresh_until(should_stop, 300));
  FarPages::forget_absent();
  ASSERT_EQ((size_t)0, FarPages::absent_count());
}

TEST_VM_F(FarPagesTest, asks_for_runs_with_small_gaps) {
  put_absent(0, 100);
  FarPageSet wanted;
  wanted.add(2);
  wanted.add(2 + FarPages::MaxGap + 1);          // 8 pages between
  wanted.add(2 + 2 * FarPages::MaxGap + 3);      // 9 pages between
  wanted.add(200);                               // not absent
  ASSERT_EQ(FarPages::MaxGap + 3, ask_for(wanted));
  for (size_t page = 0; page < 100; page++) {
    const bool asked = (page >= 2 && page <= 2 + FarPages::MaxGap + 1) || page == 2 + 2 * FarPages::MaxGap + 3;
    ASSERT_EQ(!asked, FarPages::is_absent(page)) << "page " << page;
    ASSERT_EQ(asked, wanted.contains(page)) << "page " << page;
  }
  ASSERT_EQ((size_t)3, FarPages::give_back(0, 5));
  ASSERT_EQ((size_t)FarPages::MaxGap, FarPages::give_back(0, Count));
  ASSERT_EQ((size_t)0, FarPages::give_back(0, Count));
}

TEST_VM_F(FarPagesTest, gives_back_what_it_asked_for_only) {
  put_absent(10, 11);
  put_absent(14, 15);
  FarPageSet wanted;
  wanted.add(10);
  wanted.add(14);                                // 11 to 13 are present
  ASSERT_EQ((size_t)2, ask_for(wanted));
  ASSERT_FALSE(wanted.contains(12));
  ASSERT_EQ((size_t)2, FarPages::give_back(0, Count));
}

TEST_VM_F(FarPagesTest, asks_below_a_limit) {
  put_absent(10, 20);
  FarPageSet wanted;
  wanted.add(10);
  wanted.add(13);
  wanted.add(16);
  ASSERT_EQ((size_t)4, ask_for(wanted, 16));
  ASSERT_TRUE(FarPages::is_absent(14));
  ASSERT_TRUE(FarPages::is_absent(16));
  ASSERT_EQ((size_t)4, FarPages::give_back(0, Count));
}

TEST_VM_F(FarPagesTest, asks_up_to_the_end) {
  put_absent(Count - 1, Count);
  FarPageSet wanted;
  wanted.reset(Count - FarPages::ChunkPages);
  wanted.add(Count - 1);
  ASSERT_EQ((size_t)1, ask_for(wanted));
  ASSERT_EQ((size_t)1, FarPages::give_back(0, Count));
}

TEST_VM(FarBits, gives_cleared_bits_back) {
  FarBits bits;
  ASSERT_TRUE(bits.allocate(10 * M));
  ASSERT_EQ((size_t)0, bits.count_one_bits());
  bits.set_bit(0);
  bits.set_bit(10 * M - 1);
  bits.clear_all();
  ASSERT_EQ((size_t)0, bits.count_one_bits());
  bits.free();
}
