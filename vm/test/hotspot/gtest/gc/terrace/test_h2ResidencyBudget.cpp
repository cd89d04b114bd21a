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
#include "gc/terrace/h2/paging/h2ResidencyBudget.hpp"
#include "unittest.hpp"

TEST(H2ResidencyBudget, keeps_all_until_limited) {
  H2ResidencyBudget budget;
  ASSERT_FALSE(budget.is_limited());
  ASSERT_TRUE(budget.keep(100 * G));
  budget.drop(100 * G);
  budget.limit(600 * M);
  ASSERT_TRUE(budget.is_limited());
  ASSERT_EQ(budget.bytes(), 300 * M);
  ASSERT_TRUE(budget.keep(200 * M));
  ASSERT_FALSE(budget.keep(101 * M));
  ASSERT_TRUE(budget.keep(100 * M));
  ASSERT_EQ(budget.kept(), 300 * M);
}

TEST(H2ResidencyBudget, grows_slowly_and_only_when_used) {
  H2ResidencyBudget budget;
  budget.limit(600 * M);
  budget.keep(32 * M);
  budget.stayed(32 * M);
  ASSERT_EQ(budget.bytes(), 300 * M) << "it is not what bounds it";
  while (budget.keep(32 * M)) {}
  budget.stayed(32 * M);
  ASSERT_EQ(budget.bytes(), 302 * M);
}

TEST(H2ResidencyBudget, shrinks_by_what_was_lost) {
  H2ResidencyBudget budget;
  budget.limit(600 * M);
  budget.keep(32 * M);
  budget.left(32 * M, 10 * M);
  ASSERT_EQ(budget.bytes(), 290 * M);
  ASSERT_EQ(budget.kept(), 0u);
  budget.keep(200 * M);
  budget.left(200 * M, 200 * M);
  ASSERT_EQ(budget.bytes(), 90 * M);
}

TEST(H2ResidencyBudget, recovers_from_a_shortage) {
  H2ResidencyBudget budget;
  budget.limit(0);
  for (int i = 0; i < 100; i++) {
    ASSERT_TRUE(budget.keep(16 * M));
    budget.left(16 * M, 16 * M);
  }
  while (budget.keep(16 * M)) {}
  const size_t before = budget.bytes();
  budget.stayed(16 * M);
  ASSERT_GT(budget.bytes(), before);
}

// If only small regions fit, they must also make the budget grow.
TEST(H2ResidencyBudget, grows_for_larger_ones) {
  H2ResidencyBudget budget;
  budget.limit(0);
  while (budget.kept() < 40 * M) {
    ASSERT_TRUE(budget.keep(1 * M));
  }
  for (int i = 0; i < 10000 && !budget.keep(100 * M); i++) {
    budget.stayed(1 * M);
  }
  ASSERT_GE(budget.kept(), 140 * M);
}

// Simulates a cache of fixed size with LRU eviction, under cyclic passes over more data than it
// holds.
TEST(H2ResidencyBudget, finds_what_the_system_leaves) {
  const size_t piece = 16 * M;
  const int pieces = 100;
  const int cache = 30;
  const int in_use = 4;                 // pieces that are being read or prefetched
  H2ResidencyBudget budget;
  budget.limit(cache * piece);
  bool kept[pieces] = {};
  int hits = 0;
  for (int pass = 0; pass < 200; pass++) {
    int resident_kept = 0;
    for (int i = 0; i < pieces; i++) {
      resident_kept += kept[i] ? 1 : 0;
    }
    int lost = MAX2(0, resident_kept + in_use - cache);
    for (int i = 0; i < pieces; i++) {
      if (kept[i] && lost > 0) {
        lost--;
        kept[i] = false;
        budget.left(piece, piece);
      } else if (kept[i]) {
        budget.stayed(piece);
        hits += pass >= 100 ? 1 : 0;
      } else {
        kept[i] = budget.keep(piece);
      }
    }
  }
  ASSERT_GT(hits, 100 * (cache - in_use) * 3 / 4);
}
