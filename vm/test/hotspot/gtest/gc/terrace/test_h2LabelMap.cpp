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
#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "unittest.hpp"

// Multiples of a power of two, because programs number their labels so, and adjacent numbers.
static jlong label_at(int i) {
  return i % 2 == 0 ? (jlong)i << 32 : -i;
}

TEST_VM(H2LabelMap, finds_what_was_put) {
  H2LabelMap<int> map;
  const int count = 10000;
  for (int i = 0; i < count; i++) {
    ASSERT_FALSE(map.contains(label_at(i)));
    ASSERT_TRUE(map.put(label_at(i), i));
    ASSERT_FALSE(map.put(label_at(i), i + 1));
    ASSERT_EQ(i + 1, *map.put_if_absent(label_at(i), -1));
  }
  ASSERT_EQ((size_t)count, map.count());
  ASSERT_LE(map.capacity(), 4 * map.count());
  int found = 0;
  map.each_do([&](jlong label, int value) { found += label == label_at(value - 1) ? 1 : 0; });
  ASSERT_EQ(count, found);
  map.clear();
  ASSERT_EQ(0u, map.count());
  ASSERT_TRUE(map.get(label_at(1)) == NULL);
}

TEST_VM(H2LabelMap, removal_hides_no_other_label) {
  H2LabelMap<int> map;
  const int count = 3000;
  for (int i = 0; i < count; i++) {
    map.put(label_at(i), i);
  }
  for (int step = 2; step < 5; step++) {
    for (int i = 0; i < count; i += step) {
      const bool was_there = map.contains(label_at(i));
      ASSERT_EQ(was_there, map.remove(label_at(i)));
    }
    for (int i = 0; i < count; i++) {
      bool is_removed = false;
      for (int s = 2; s <= step; s++) {
        is_removed = is_removed || i % s == 0;
      }
      ASSERT_EQ(!is_removed, map.contains(label_at(i))) << "label " << i << ", step " << step;
      ASSERT_TRUE(is_removed || *map.get(label_at(i)) == i);
    }
  }
  ASSERT_LE(map.capacity(), 8 * map.count());
  for (int i = 0; i < count; i++) {
    map.remove(label_at(i));
  }
  ASSERT_EQ(0u, map.count());
  ASSERT_LE(map.capacity(), (size_t)64);
}
