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

// Live words in H1, and words written in H2.
static H2DeepMarkingPolicy::Heap heap(size_t live, size_t written = 0) {
  const H2DeepMarkingPolicy::Heap result = { 64 * K, live, 640 * K, written };
  return result;
}

TEST(H2DeepMarkingPolicy, rests_while_there_is_room) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    ASSERT_FALSE(policy.is_due(false, heap(1000)));
    policy.marked(false, 0, total / 2, total, heap(1000));
  }
}

TEST(H2DeepMarkingPolicy, follows_shortage_of_room) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 5, total / 10, total, heap(1000));
  ASSERT_TRUE(policy.is_due(false, heap(1000)));
  policy.marked(true, total / 2, total / 2, total, heap(1000));
  ASSERT_FALSE(policy.is_due(false, heap(1000)));
}

TEST(H2DeepMarkingPolicy, follows_a_failed_transfer) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total / 2, total, heap(1000));
  policy.transfer_failed();
  ASSERT_TRUE(policy.is_due(false, heap(1000)));
}

// So many of n last resorts, each after a collection that was not the last one.
static int last_resorts(H2DeepMarkingPolicy& policy, int n, H2DeepMarkingPolicy::Heap heap) {
  int deep = 0;
  for (int i = 0; i < n; i++) {
    policy.marked(false, 0, total, total, heap);
    const bool due = policy.is_due(true, heap);
    deep += due ? 1 : 0;
    policy.marked(due, 0, total, total, heap);
  }
  return deep;
}

TEST(H2DeepMarkingPolicy, is_a_last_resort_as_long_as_it_helps) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    policy.marked(false, 0, total, total, heap(60 * K));
    ASSERT_TRUE(policy.is_due(true, heap(60 * K)));
    policy.marked(true, 0, total, total, heap(50 * K));
  }
}

TEST(H2DeepMarkingPolicy, pauses_as_last_resort_while_nothing_changes) {
  H2DeepMarkingPolicy policy;
  // The first, second, fourth, eighth.
  ASSERT_EQ(4, last_resorts(policy, 9, heap(60 * K)));
  // The 16th to 128th.
  ASSERT_EQ(4, last_resorts(policy, 124, heap(60 * K)));
  ASSERT_EQ(0, last_resorts(policy, 50, heap(60 * K)));
}

TEST(H2DeepMarkingPolicy, is_a_last_resort_again_after_a_change) {
  H2DeepMarkingPolicy policy;
  ASSERT_EQ(2, last_resorts(policy, 3, heap(60 * K)));
  ASSERT_EQ(2, last_resorts(policy, 3, heap(62 * K)));
  ASSERT_EQ(2, last_resorts(policy, 3, heap(58 * K)));
  ASSERT_EQ(2, last_resorts(policy, 3, heap(58 * K, 11 * K)));
  ASSERT_EQ(2, last_resorts(policy, 10, heap(58 * K + 500, 15 * K)));
}

TEST(H2DeepMarkingPolicy, comes_less_often_while_it_gains_little) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, 0, total, heap(1000));
  int deep = 0;
  for (int i = 0; i < 5000; i++) {
    const bool due = policy.is_due(false, heap(1000));
    deep += due ? 1 : 0;
    policy.marked(due, 1, 0, total, heap(1000));
  }
  // After 1, 2, 4 ... 1024 more, then after each 1024.
  ASSERT_EQ(13, deep);
}

TEST(H2DeepMarkingPolicy, comes_more_often_again_after_a_gain) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, 0, total, heap(1000));
  for (int i = 0; i < 100; i++) {
    policy.marked(policy.is_due(false, heap(1000)), 0, 0, total, heap(1000));
  }
  while (!policy.is_due(false, heap(1000))) {
    policy.marked(false, 0, 0, total, heap(1000));
  }
  policy.marked(true, total / 4, 0, total, heap(1000));
  ASSERT_TRUE(policy.is_due(false, heap(1000)));
}
