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
#include "gc/terrace/h2/space/h2RegionSet.hpp"
#include "runtime/atomic.hpp"
#include "threadHelper.inline.hpp"
#include "unittest.hpp"

class H2RegionSetTest : public ::testing::Test {
 protected:
  static const uint limit = 100000;
  H2RegionSet set;

  virtual void SetUp()    { set.initialize(limit); }
  virtual void TearDown() { set.release(); }
};

TEST_VM_F(H2RegionSetTest, holds_what_was_added) {
  const uint members[] = { 0, 1, 63, 64, 4095, 4096, 70000, limit - 1 };
  for (uint m : members) {
    ASSERT_FALSE(set.contains(m)) << m;
    ASSERT_TRUE(set.add(m)) << m;
    ASSERT_TRUE(set.contains(m)) << m;
    ASSERT_FALSE(set.add(m)) << m;
  }
  ASSERT_FALSE(set.contains(2));
  ASSERT_FALSE(set.contains(4097));
  size_t i = 0;
  set.each_do([&](uint m) { ASSERT_EQ(members[i++], m); });
  ASSERT_EQ(ARRAY_SIZE(members), i);
}

TEST_VM_F(H2RegionSetTest, is_small_while_members_are_near_each_other) {
  const size_t empty = set.byte_size();
  ASSERT_LE(empty, 256u);
  for (uint m = 8192; m < 8192 + 4096; m++) {
    set.add(m);
  }
  ASSERT_LE(set.byte_size(), empty + 1024);
}

TEST_VM_F(H2RegionSetTest, is_empty_after_clear) {
  set.add(5);
  set.add(limit - 1);
  set.clear();
  ASSERT_FALSE(set.contains(5));
  set.each_do([](uint m) { FAIL() << m; });
  ASSERT_TRUE(set.add(5));
}

TEST_VM_F(H2RegionSetTest, forgets_what_was_removed) {
  set.add(64);
  set.add(65);
  set.remove(65);
  set.remove(66);
  set.remove(limit - 1);
  ASSERT_TRUE(set.contains(64));
  ASSERT_FALSE(set.contains(65));
  ASSERT_TRUE(set.add(65));
}

class AddingThread : public JavaTestThread {
  H2RegionSet&   _set;
  const uint     _limit;
  const uint     _start;
  volatile uint& _added;

 public:
  AddingThread(Semaphore* post, H2RegionSet& set, uint limit, uint start, volatile uint& added) :
    JavaTestThread(post), _set(set), _limit(limit), _start(start), _added(added) {}

  virtual void main_run() {
    for (uint i = 0; i < _limit; i++) {
      if (_set.add((_start + i * 7) % _limit)) {
        Atomic::inc(&_added);
      }
    }
  }
};

TEST_VM_F(H2RegionSetTest, each_member_is_added_by_one_of_many_threads) {
  const uint threads = 4;
  volatile uint added = 0;
  Semaphore post;
  for (uint i = 0; i < threads; i++) {
    (new AddingThread(&post, set, limit, i * 31, added))->doit();
  }
  for (uint i = 0; i < threads; i++) {
    post.wait();
  }
  ASSERT_EQ((uint)limit, added);
}
