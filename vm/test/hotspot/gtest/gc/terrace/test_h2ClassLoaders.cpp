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
#include "gc/terrace/h2/base/h2ClassLoaders.hpp"
#include "unittest.hpp"

// Addresses of loaders that do not exist. H2ClassLoaders does not read them.
static ClassLoaderData* loader(int i) {
  return (ClassLoaderData*)(uintptr_t)(0x7000000000 + (uintptr_t)i * 208);
}

TEST_VM(H2ClassLoaders, holds_each_once_in_order) {
  H2ClassLoaders loaders;
  for (int count = 1; count < 100; count++) {
    ASSERT_TRUE(loaders.add(loader(count)));
    for (int i = 1; i <= count; i++) {
      ASSERT_FALSE(loaders.add(loader(i)));
      ASSERT_EQ(loader(i), loaders.at(i - 1));
    }
    ASSERT_EQ(count, loaders.length());
    ASSERT_FALSE(loaders.contains(loader(count + 1)));
  }
}

TEST_VM(H2ClassLoaders, forgets_the_last) {
  static const int lengths[] = { 100, 50, 17, 16, 3, 0 };
  H2ClassLoaders loaders;
  for (int i = 0; i < 200; i++) {
    loaders.add(loader(i));
  }
  for (size_t l = 0; l < ARRAY_SIZE(lengths); l++) {
    loaders.truncate(lengths[l]);
    ASSERT_EQ(lengths[l], loaders.length());
    for (int i = 0; i < 200; i++) {
      ASSERT_EQ(i < lengths[l], loaders.contains(loader(i))) << i << " of " << lengths[l];
    }
  }
  ASSERT_TRUE(loaders.add(loader(150)));
  loaders.clear();
  ASSERT_FALSE(loaders.contains(loader(150)));
}

// With a list, this test would take hours.
TEST_VM(H2ClassLoaders, holds_as_many_as_a_region_has_objects) {
  H2ClassLoaders loaders;
  static const int Count = 300 * 1000;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < Count; i++) {
      ASSERT_EQ(round == 0, loaders.add(loader(i)));
    }
  }
  ASSERT_EQ(Count, loaders.length());
}
