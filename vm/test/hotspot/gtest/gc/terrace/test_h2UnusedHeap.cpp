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
#include "gc/terrace/h2/paging/h2UnusedHeap.hpp"
#include "unittest.hpp"

static const jlong second = NANOSECS_PER_SEC;

TEST(H2UnusedHeap, is_released_if_the_program_waits) {
  EXPECT_TRUE(H2UnusedHeap::is_worth(100 * M, 10 * second, 5 * second));
  EXPECT_TRUE(H2UnusedHeap::is_worth(100 * M, 10 * second, 1 * second));
  EXPECT_FALSE(H2UnusedHeap::is_worth(100 * M, 10 * second, second / 2));
  EXPECT_FALSE(H2UnusedHeap::is_worth(100 * M, 10 * second, 0));
}

TEST(H2UnusedHeap, stays_if_it_is_used_again_soon) {
  EXPECT_TRUE(H2UnusedHeap::is_worth(40 * M, 1 * second, 1 * second));
  EXPECT_FALSE(H2UnusedHeap::is_worth(44 * M, 1 * second, 1 * second));
  EXPECT_FALSE(H2UnusedHeap::is_worth(1000 * M, 10 * second, 10 * second));
}
