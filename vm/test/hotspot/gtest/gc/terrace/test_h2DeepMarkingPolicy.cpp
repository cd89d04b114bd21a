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
#include "gc/terrace/h2/h2DeepMarkingPolicy.hpp"
#include "unittest.hpp"

static const uint total = 160;

TEST(H2DeepMarkingPolicy, rests_while_there_is_room) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    ASSERT_FALSE(policy.is_due(false));
    policy.marked(false, 0, total / 2, total);
  }
}

TEST(H2DeepMarkingPolicy, follows_shortage_of_room) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 5, total / 10, total);
  ASSERT_TRUE(policy.is_due(false));
  policy.marked(true, total / 2, total / 2, total);
  ASSERT_FALSE(policy.is_due(false));
}

TEST(H2DeepMarkingPolicy, follows_a_failed_transfer) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total / 2, total);
  policy.transfer_failed();
  ASSERT_TRUE(policy.is_due(false));
}

TEST(H2DeepMarkingPolicy, is_always_due_as_last_resort) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    ASSERT_TRUE(policy.is_due(true));
    policy.marked(true, 0, total, total);
  }
}

TEST(H2DeepMarkingPolicy, comes_less_often_while_it_gains_little) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, 0, total);
  int deep = 0;
  for (int i = 0; i < 5000; i++) {
    const bool due = policy.is_due(false);
    deep += due ? 1 : 0;
    policy.marked(due, 1, 0, total);
  }
  // After 1, 2, 4 ... 1024 more, then after each 1024.
  ASSERT_EQ(13, deep);
}

TEST(H2DeepMarkingPolicy, comes_more_often_again_after_a_gain) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, 0, total);
  for (int i = 0; i < 100; i++) {
    policy.marked(policy.is_due(false), 0, 0, total);
  }
  while (!policy.is_due(false)) {
    policy.marked(false, 0, 0, total);
  }
  policy.marked(true, total / 4, 0, total);
  ASSERT_TRUE(policy.is_due(false));
}
