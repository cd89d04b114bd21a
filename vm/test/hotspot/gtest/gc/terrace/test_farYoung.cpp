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
#include "gc/terrace/far/g1/farYoung.hpp"
#include "unittest.hpp"

TEST(FarYoung, room_is_what_is_left_beside_the_heap) {
  ASSERT_EQ(80u, FarYoung::local(100 * M, 20 * M, M, 200));
  ASSERT_EQ(40u, FarYoung::local(100 * M, 20 * M, 2 * M, 200));
  ASSERT_EQ(50u, FarYoung::local(100 * M, 20 * M, M, 50));
  ASSERT_EQ(1u, FarYoung::local(100 * M, 100 * M, M, 200));
  ASSERT_EQ(1u, FarYoung::local(100 * M, 300 * M, M, 200));
}

TEST(FarYoung, lengths_are_the_same_part_of_what_is_local) {
  ASSERT_EQ(30u, FarYoung::scaled(60, 50, 100));
  ASSERT_EQ(1u, FarYoung::scaled(5, 1, 100));
  ASSERT_EQ(60u, FarYoung::scaled(60, 100, 100));
  ASSERT_EQ(60u, FarYoung::scaled(60, 200, 100));
}
