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
#include "gc/terrace/far/farPolicy.hpp"
#include "unittest.hpp"

static const size_t pages = 1000;

TEST(FarPolicy, zones_by_free_heap) {
  ASSERT_EQ(FarPolicy::Freely, FarPolicy::zone_of(51, 100, 50, 15));
  ASSERT_EQ(FarPolicy::Once, FarPolicy::zone_of(50, 100, 50, 15));
  ASSERT_EQ(FarPolicy::Once, FarPolicy::zone_of(16, 100, 50, 15));
  ASSERT_EQ(FarPolicy::Never, FarPolicy::zone_of(15, 100, 50, 15));
  ASSERT_EQ(FarPolicy::Never, FarPolicy::zone_of(0, 100, 50, 15));
}

TEST(FarPolicy, defers_freely_behind_the_sweep) {
  FarPolicy policy(pages);
  policy.set_zone(FarPolicy::Freely);
  policy.swept(pages);
  ASSERT_TRUE(policy.may_defer(0));
  ASSERT_TRUE(policy.may_defer(pages - 1));
}

TEST(FarPolicy, defers_once_before_the_sweep_only) {
  FarPolicy policy(pages);
  policy.set_zone(FarPolicy::Once);
  ASSERT_TRUE(policy.may_defer(0));
  policy.swept(300);
  ASSERT_FALSE(policy.may_defer(299));
  ASSERT_TRUE(policy.may_defer(300));
  policy.swept(100);                   // another worker reports late
  ASSERT_FALSE(policy.may_defer(299));
  policy.swept(pages);
  ASSERT_FALSE(policy.may_defer(pages - 1));
}

TEST(FarPolicy, never_defers_when_the_heap_is_short) {
  FarPolicy policy(pages);
  policy.set_zone(FarPolicy::Never);
  ASSERT_FALSE(policy.may_defer(0));
  ASSERT_FALSE(policy.may_defer(pages - 1));
}

TEST(FarPolicy, knows_the_sweep_when_the_zone_changes) {
  FarPolicy policy(pages);
  policy.set_zone(FarPolicy::Freely);
  policy.swept(300);
  policy.set_zone(FarPolicy::Once);
  ASSERT_FALSE(policy.may_defer(299));
  ASSERT_TRUE(policy.may_defer(300));
  policy.set_zone(FarPolicy::Never);
  ASSERT_FALSE(policy.may_defer(300));
  policy.set_zone(FarPolicy::Once);
  policy.begin();
  ASSERT_TRUE(policy.may_defer(0));
}
