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
#include "gc/terrace/far/shenandoah/farShenandoahEvacuation.hpp"
#include "unittest.hpp"

class FarShenandoahEvacuationTest : public testing::Test {
 protected:
  static bool postpones(size_t available, size_t needed, size_t absent, size_t garbage) {
    return FarShenandoahEvacuation::postpones(available, needed, absent, garbage);
  }
  static double average_rate(bool was_postponed, double rate, size_t allocated, double seconds) {
    const bool before = FarShenandoahEvacuation::_was_postponed;
    FarShenandoahEvacuation::_was_postponed = was_postponed;
    const double result = FarShenandoahEvacuation::average_rate(rate, allocated, seconds);
    FarShenandoahEvacuation::_was_postponed = before;
    return result;
  }
  static size_t available(size_t free, size_t max_capacity, size_t soft_max_capacity) {
    return FarShenandoahEvacuation::available(free, max_capacity, soft_max_capacity);
  }
};

TEST_F(FarShenandoahEvacuationTest, postpones_if_it_would_read_much_to_free_little) {
  ASSERT_TRUE(postpones(300 * M, 200 * M, 480 * M, 20 * M));
  ASSERT_TRUE(postpones(300 * M, 200 * M, 480 * M, 0));
  ASSERT_FALSE(postpones(300 * M, 200 * M, 480 * M, 120 * M));
  ASSERT_FALSE(postpones(300 * M, 200 * M, 20 * M, 20 * M));
}

TEST_F(FarShenandoahEvacuationTest, does_not_postpone_if_nothing_is_absent) {
  ASSERT_FALSE(postpones(300 * M, 200 * M, 0, 0));
  ASSERT_FALSE(postpones(300 * M, 200 * M, 0, 20 * M));
}

TEST_F(FarShenandoahEvacuationTest, does_not_postpone_if_free_memory_is_short) {
  ASSERT_TRUE(postpones(200 * M, 200 * M, 480 * M, 0));
  ASSERT_FALSE(postpones(200 * M - 1, 200 * M, 480 * M, 0));
}

// Otherwise a postponed cycle would start the next one at once.
TEST_F(FarShenandoahEvacuationTest, counts_free_memory_like_the_trigger) {
  const size_t reserve = 1000 * M / 100 * ShenandoahEvacReserve;
  ASSERT_EQ(200 * M - reserve, available(200 * M, 1000 * M, 1000 * M));
  ASSERT_EQ(500 * M - reserve, available(800 * M, 1000 * M, 700 * M));
  ASSERT_EQ((size_t)0, available(300 * M, 1000 * M, 700 * M));
}

TEST_F(FarShenandoahEvacuationTest, leaves_the_thresholds_of_the_heuristics_if_nothing_was_absent) {
  ASSERT_EQ(70 * M, FarShenandoahEvacuation::init_threshold(70 * M));
  ASSERT_EQ(10 * M, FarShenandoahEvacuation::min_threshold(10 * M));
}

TEST_F(FarShenandoahEvacuationTest, an_earlier_rate_starts_no_cycle_after_a_postponed_one) {
  ASSERT_EQ(5.0, average_rate(false, 5.0, 10, 10.0));
  ASSERT_EQ(1.0, average_rate(true, 5.0, 10, 10.0));
  ASSERT_EQ(5.0, average_rate(true, 5.0, 1000, 10.0));
  ASSERT_EQ(5.0, average_rate(true, 5.0, 10, 0.0));
}
