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
#include "gc/terrace/h2/liveness/h2TransferBudget.hpp"
#include "unittest.hpp"

static const jlong milli = 1000 * 1000;

TEST(H2TransferBudget, follows_the_goal) {
  H2TransferBudget budget;
  ASSERT_GT(budget.words(100), 0u);
  ASSERT_EQ(2 * budget.words(100), budget.words(200));
}

TEST(H2TransferBudget, learns_how_fast_transfers_are) {
  H2TransferBudget budget;
  for (int i = 0; i < 50; i++) {
    budget.moved(10 * M, 10 * milli);
  }
  ASSERT_NEAR((double)(200 * M), (double)budget.words(200), 2 * M);
  budget.moved(10 * M, 100 * milli);      // as if the device were slow
  ASSERT_NEAR((double)(20 * M), (double)budget.words(200), 1 * M);
  const size_t before = budget.words(200);
  budget.moved(1000, 1000 * milli);       // too few words to count
  ASSERT_EQ(before, budget.words(200));
}

TEST(H2TransferBudget, is_no_less_than_what_the_rest_of_the_pause_takes) {
  H2TransferBudget budget;
  for (int i = 0; i < 50; i++) {
    budget.paused(1000 * milli);
  }
  ASSERT_NEAR((double)budget.words(1000), (double)budget.words(100), 1000);
  ASSERT_EQ(2 * budget.words(1000), budget.words(2000));
}
