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
#include "gc/terrace/h2/liveness/h2RegionGroups.hpp"
#include "threadHelper.inline.hpp"
#include "unittest.hpp"

class H2RegionGroupsTest : public ::testing::Test {
 protected:
  static const uint limit = 20000;
  H2RegionGroups groups;

  virtual void SetUp()    { groups.initialize(limit); }
  virtual void TearDown() { groups.release(); }

  // The length of the ring from index on, or 0 if it leads out of the group.
  uint ring_length(uint index) {
    uint length = 0;
    uint i = index;
    do {
      if (groups.group_of(i) != groups.group_of(index)) {
        return 0;
      }
      length++;
      i = groups.next_member(i);
    } while (i != index && length <= limit);
    return length;
  }
};

TEST_VM_F(H2RegionGroupsTest, are_single_at_first) {
  groups.link_members([](uint) { return true; });
  for (uint i = 0; i < limit; i++) {
    ASSERT_EQ(i, groups.group_of(i));
    ASSERT_EQ(i, groups.next_member(i));
  }
}

TEST_VM_F(H2RegionGroupsTest, merge_in_any_order) {
  groups.merge(7, 3);
  groups.merge(19999, 7);
  groups.merge(4, 5);
  ASSERT_EQ(groups.group_of(3), groups.group_of(19999));
  ASSERT_NE(groups.group_of(3), groups.group_of(4));
  groups.merge(5, 3);
  ASSERT_EQ(groups.group_of(4), groups.group_of(19999));
  ASSERT_EQ(6u, groups.group_of(6));
}

TEST_VM_F(H2RegionGroupsTest, rings_hold_the_members_only) {
  for (uint i = 10; i + 10 < limit; i += 10) {
    groups.merge(i, i + 10);
  }
  // The region that names the group is not a member.
  groups.link_members([](uint i) { return i % 20 == 0; });
  ASSERT_EQ(limit / 20 - 1, ring_length(20));
  groups.link_members([](uint) { return true; });
  ASSERT_EQ(limit / 10 - 1, ring_length(20));
  ASSERT_EQ(1u, ring_length(21));
}

TEST_VM_F(H2RegionGroupsTest, fall_apart_when_all_are_reset) {
  groups.merge(1, 2);
  groups.merge(2, 3);
  for (uint i = 1; i <= 3; i++) {
    groups.reset(i);
  }
  groups.link_members([](uint) { return true; });
  ASSERT_EQ(1u, ring_length(1));
  ASSERT_EQ(3u, groups.group_of(3));
}

class MergingThread : public JavaTestThread {
  H2RegionGroups& _groups;
  const uint      _limit;
  const uint      _step;

 public:
  MergingThread(Semaphore* post, H2RegionGroups& groups, uint limit, uint step) :
    JavaTestThread(post), _groups(groups), _limit(limit), _step(step) {}

  virtual void main_run() {
    for (uint i = 0; i < _limit; i++) {
      const uint to = (i * _step) % _limit;
      if (to % 2 == i % 2) {
        _groups.merge(i, to);
      }
    }
    for (uint i = 2; i < _limit; i++) {
      _groups.merge(i, i - 2);
    }
  }
};

TEST_VM_F(H2RegionGroupsTest, are_merged_by_many_threads) {
  const uint steps[] = { 7919, 3, 12347, 5 };
  Semaphore post;
  for (uint step : steps) {
    (new MergingThread(&post, groups, limit, step))->doit();
  }
  for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
    post.wait();
  }
  for (uint i = 0; i < limit; i++) {
    ASSERT_EQ(i % 2, groups.group_of(i));
  }
}
