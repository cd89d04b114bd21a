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

static const H2DeepMarkingPolicy::Owners no_owners = { 0, 0, false };

static H2DeepMarkingPolicy::Reason reason(H2DeepMarkingPolicy& policy, bool last_resort, H2DeepMarkingPolicy::Heap heap) {
  const H2DeepMarkingPolicy::Cause cause = { last_resort, false, false, false, false };
  return policy.reason(cause, heap, no_owners);
}

static bool is_due(H2DeepMarkingPolicy& policy, bool last_resort, H2DeepMarkingPolicy::Heap heap) {
  return reason(policy, last_resort, heap) != H2DeepMarkingPolicy::None;
}

TEST(H2DeepMarkingPolicy, rests_while_there_is_room) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    ASSERT_FALSE(is_due(policy, false, heap(1000)));
    policy.marked(false, 0, total / 2, total, heap(1000));
  }
}

TEST(H2DeepMarkingPolicy, follows_shortage_of_room) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 5, total / 10, total, heap(1000));
  ASSERT_TRUE(is_due(policy, false, heap(1000)));
  policy.marked(true, total / 2, total / 2, total, heap(1000));
  ASSERT_FALSE(is_due(policy, false, heap(1000)));
}

// What it says of the next collection holds.
TEST(H2DeepMarkingPolicy, foresees_shortage_of_room) {
  H2DeepMarkingPolicy policy;
  int due = 0;
  for (int i = 0; i < 100; i++) {
    const bool was_due_next = policy.is_due_next();
    const bool is_deep = is_due(policy, false, heap(1000));
    ASSERT_EQ(was_due_next, is_deep) << "collection " << i;
    const uint free = i % 10 < 3 ? total / 2 : total / 10;
    const bool may_be_due_next = is_deep || policy.may_be_due_next(free, total);
    policy.marked(is_deep, 0, free, total, heap(1000));
    ASSERT_TRUE(may_be_due_next || !policy.is_due_next()) << "collection " << i;
    due += is_deep ? 1 : 0;
  }
  ASSERT_GT(due, 3);
}

TEST(H2DeepMarkingPolicy, follows_a_failed_transfer) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total / 2, total, heap(1000));
  policy.transfer_failed();
  ASSERT_TRUE(is_due(policy, false, heap(1000)));
}

// So many of n last resorts, each after a collection that was not the last one.
static int last_resorts(H2DeepMarkingPolicy& policy, int n, H2DeepMarkingPolicy::Heap heap) {
  int deep = 0;
  for (int i = 0; i < n; i++) {
    policy.marked(false, 0, total, total, heap);
    const bool due = is_due(policy, true, heap);
    deep += due ? 1 : 0;
    policy.marked(due, 0, total, total, heap);
  }
  return deep;
}

TEST(H2DeepMarkingPolicy, is_a_last_resort_as_long_as_it_helps) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    policy.marked(false, 0, total, total, heap(60 * K));
    ASSERT_TRUE(is_due(policy, true, heap(60 * K)));
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
    const bool due = is_due(policy, false, heap(1000));
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
    policy.marked(is_due(policy, false, heap(1000)), 0, 0, total, heap(1000));
  }
  while (!is_due(policy, false, heap(1000))) {
    policy.marked(false, 0, 0, total, heap(1000));
  }
  policy.marked(true, total / 4, 0, total, heap(1000));
  ASSERT_TRUE(is_due(policy, false, heap(1000)));
}

TEST(H2DeepMarkingPolicy, says_why) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total / 2, total, heap(1000));
  ASSERT_EQ(H2DeepMarkingPolicy::None, reason(policy, false, heap(1000)));
  ASSERT_EQ(H2DeepMarkingPolicy::LastResort, reason(policy, true, heap(1000)));
  const H2DeepMarkingPolicy::Cause too_large = { true, true, false, false, false };
  ASSERT_EQ(H2DeepMarkingPolicy::None, policy.reason(too_large, heap(1000), no_owners));
  const H2DeepMarkingPolicy::Cause forced = { false, false, false, false, true };
  ASSERT_EQ(H2DeepMarkingPolicy::Forced, policy.reason(forced, heap(1000), no_owners));
  policy.transfer_failed();
  ASSERT_EQ(H2DeepMarkingPolicy::ShortOfRoom, reason(policy, true, heap(1000)));
}

static H2DeepMarkingPolicy::Reason owners_reason(size_t kept, size_t live, bool was_in_vain, bool is_requested, bool library_waits) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total, total, heap(1000));
  const H2DeepMarkingPolicy::Cause cause = { false, false, is_requested, library_waits, false };
  const H2DeepMarkingPolicy::Owners owners = { kept, live, was_in_vain };
  return policy.reason(cause, heap(1000), owners);
}

TEST(H2DeepMarkingPolicy, gives_back_what_owners_have) {
  // Many, by themselves and by those that live.
  ASSERT_EQ(H2DeepMarkingPolicy::ManyOwners, owners_reason(256, 0, false, false, false));
  ASSERT_EQ(H2DeepMarkingPolicy::None, owners_reason(255, 0, false, false, false));
  ASSERT_EQ(H2DeepMarkingPolicy::ManyOwners, owners_reason(2000, 1000, false, false, false));
  ASSERT_EQ(H2DeepMarkingPolicy::None, owners_reason(1999, 1000, false, false, false));
  // Some, if somebody asks.
  ASSERT_EQ(H2DeepMarkingPolicy::None, owners_reason(100, 50, false, true, false));
  ASSERT_EQ(H2DeepMarkingPolicy::OwnersKept, owners_reason(100, 50, true, true, false));
  ASSERT_EQ(H2DeepMarkingPolicy::LibraryWaits, owners_reason(100, 50, false, true, true));
  ASSERT_EQ(H2DeepMarkingPolicy::None, owners_reason(100, 50, true, false, true));
  // Few, or none.
  ASSERT_EQ(H2DeepMarkingPolicy::None, owners_reason(1050, 1000, true, true, true));
  ASSERT_EQ(H2DeepMarkingPolicy::None, owners_reason(50, 50, true, true, true));
}
