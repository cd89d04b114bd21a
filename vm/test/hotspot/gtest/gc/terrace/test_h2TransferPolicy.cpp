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
#include "gc/terrace/h2/transfer/h2TransferPolicy.hpp"
#include "unittest.hpp"

static const H2TransferPolicy::Thresholds thresholds = { 50, 85 };

static H2TransferPolicy::Cause allocation(uint frequent_in_a_row = 0) {
  return { false, false, true, frequent_in_a_row, true };
}

static H2TransferPolicy policy(size_t live, const H2TransferPolicy::Cause& cause, size_t used = 1000) {
  return H2TransferPolicy(thresholds, { 1000, used, live }, cause);
}

TEST(H2TransferPolicy, moves_down_to_the_low_threshold_above_the_high_one) {
  EXPECT_FALSE(policy(850, allocation()).is_under_pressure());
  EXPECT_EQ(0u, policy(850, allocation()).wanted_words());
  EXPECT_TRUE(policy(851, allocation()).is_under_pressure());
  EXPECT_EQ(351u, policy(851, allocation()).wanted_words());
}

TEST(H2TransferPolicy, moves_structures_down_to_the_high_threshold_only) {
  EXPECT_EQ(50u, policy(900, allocation()).enough_words());
  EXPECT_EQ(0u, policy(800, allocation(1)).enough_words());
}

TEST(H2TransferPolicy, moves_nothing_unasked_if_the_high_threshold_is_everything) {
  const H2TransferPolicy::Thresholds never = { 50, 100 };
  const H2TransferPolicy p(never, { 1000, 1000, 1200 }, allocation(3));
  EXPECT_FALSE(p.is_under_pressure());
  EXPECT_EQ(0u, p.wanted_words());
  EXPECT_EQ(0u, p.enough_words());
}

TEST(H2TransferPolicy, lowers_the_thresholds_for_frequent_collections) {
  EXPECT_EQ(0u, policy(500, allocation(1)).wanted_words());
  EXPECT_EQ(200u, policy(700, allocation(1)).wanted_words());
  EXPECT_EQ(450u, policy(700, allocation(2)).wanted_words());
  EXPECT_EQ(575u, policy(700, allocation(3)).wanted_words());
  EXPECT_EQ(638u, policy(700, allocation(4)).wanted_words());
  EXPECT_EQ(638u, policy(700, allocation(100)).wanted_words());
}

TEST(H2TransferPolicy, moves_structures_from_the_third_frequent_collection_on) {
  EXPECT_EQ(0u, policy(700, allocation(2)).enough_words());
  EXPECT_EQ(575u, policy(700, allocation(3)).enough_words());
  H2TransferPolicy::Cause cause = allocation(3);
  cause.knows_written = false;
  EXPECT_EQ(0u, policy(700, cause).enough_words());
}

TEST(H2TransferPolicy, moves_all_that_is_wanted_as_the_last_resort) {
  H2TransferPolicy::Cause cause = allocation();
  cause.is_last_resort = true;
  EXPECT_EQ(200u, policy(700, cause).wanted_words());
  EXPECT_EQ(200u, policy(700, cause).enough_words());
  cause.moves_unhinted = false;
  EXPECT_EQ(0u, policy(700, cause).wanted_words());
}

TEST(H2TransferPolicy, lets_scheduled_objects_wait_while_the_heap_could_grow) {
  H2TransferPolicy::Cause cause = allocation();
  EXPECT_FALSE(policy(300, cause, 400).may_wait());
  cause.is_early = true;
  EXPECT_TRUE(policy(300, cause, 400).may_wait());
  EXPECT_FALSE(policy(300, cause, 500).may_wait());
  EXPECT_FALSE(policy(900, cause, 400).may_wait());
}
