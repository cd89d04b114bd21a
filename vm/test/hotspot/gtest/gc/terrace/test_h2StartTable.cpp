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
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "runtime/os.hpp"
#include "unittest.hpp"

// The table never reads the memory it describes, so any address will do.
static HeapWord* const bottom = (HeapWord*)(uintptr_t)(64 * G);
static const size_t words = 64 * M / HeapWordSize;
static const size_t card = CardTable::card_size_in_words;
static H2StartTable table;

class H2StartTableTest : public ::testing::Test {
 protected:
  // Not SetUpTestSuite, because the VM starts with the first test.
  virtual void SetUp() {
    static bool done = false;
    if (!done) {
      ASSERT_TRUE(table.initialize(bottom, words));
      ASSERT_TRUE(table.commit(bottom, words));
      done = true;
    }
  }
};

TEST_VM_F(H2StartTableTest, objects_smaller_than_a_card) {
  for (HeapWord* p = bottom; p + 3 <= bottom + words; p += 3) {
    table.record(p, 3);
  }
  for (size_t i = 0; i < words / card - 1; i++) {
    const size_t offset = i * card;
    ASSERT_EQ(bottom + offset / 3 * 3, table.object_covering(i)) << "card " << i;
  }
}

TEST_VM_F(H2StartTableTest, object_larger_than_a_region) {
  const size_t first = 10 * card + 7;
  table.record(bottom, first);
  table.record(bottom + first, words - first);
  for (size_t i = 0; i <= 10; i++) {
    ASSERT_EQ(bottom, table.object_covering(i)) << "card " << i;
  }
  for (size_t i = 11; i < words / card; i++) {
    ASSERT_EQ(bottom + first, table.object_covering(i)) << "card " << i;
  }
}

TEST_VM_F(H2StartTableTest, objects_of_random_sizes) {
  int seed = 42;
  size_t cards = words / card;
  HeapWord** const expected = NEW_C_HEAP_ARRAY(HeapWord*, cards, mtTest);
  HeapWord* p = bottom;
  while (p < bottom + words) {
    seed = os::next_random(seed);
    const size_t size = MIN2((size_t)1 + seed % (seed % 64 == 0 ? 100000 : 50), pointer_delta(bottom + words, p));
    table.record(p, size);
    for (size_t i = table.card_index(p + card - 1); i <= table.card_index(p + size - 1); i++) {
      expected[i] = p;
    }
    p += size;
  }
  for (size_t i = 0; i < cards; i++) {
    ASSERT_EQ(expected[i], table.object_covering(i)) << "card " << i;
  }
  FREE_C_HEAP_ARRAY(HeapWord*, expected);
}
