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
#include "gc/terrace/h2/base/h2Targets.hpp"
#include "unittest.hpp"

static oop object(int i) {
  return cast_to_oop((uintptr_t)(i + 1) * 2 * HeapWordSize);
}

static void holds(const H2Targets& targets, int count) {
  ASSERT_EQ(count, targets.count());
  for (int i = 0; i < H2Targets::Capacity + 10; i++) {
    ASSERT_EQ(i < count, targets.contains(object(i))) << i;
  }
}

TEST_VM(H2Targets, takes_as_many_as_it_has_room_for) {
  H2Targets targets;
  for (int i = 0; i < H2Targets::Capacity; i++) {
    ASSERT_TRUE(targets.add(object(i)));
    ASSERT_TRUE(targets.add(object(i / 2)));
  }
  ASSERT_FALSE(targets.add(object(H2Targets::Capacity)));
  holds(targets, H2Targets::Capacity);
}

TEST_VM(H2Targets, takes_back_what_came_last) {
  H2Targets targets;
  const int counts[] = { 1000, 1000, 700, 1024, 17, 16, 500, 3, 0, 40 };
  for (int count : counts) {
    for (int i = targets.count(); i < count; i++) {
      ASSERT_TRUE(targets.add(object(i)));
    }
    targets.truncate(count);
    holds(targets, count);
  }
}

TEST_VM(H2Targets, are_looked_at_once_in_a_collection) {
  H2Targets targets;
  for (int i = 0; i < 100; i++) {
    targets.add(object(i));
  }
  int looked_at = 0;
  const auto is_known = [&](oop obj) { return looked_at++, obj != object(100); };
  for (uint collection = 1; collection <= 3; collection++) {
    ASSERT_TRUE(targets.are_all(collection, is_known));
    ASSERT_TRUE(targets.are_all(collection, is_known));
    ASSERT_EQ(100 * (int)collection, looked_at);
  }
  targets.add(object(100));
  ASSERT_FALSE(targets.are_all(3, is_known));
  targets.truncate(100);
  ASSERT_TRUE(targets.are_all(3, is_known));
}
