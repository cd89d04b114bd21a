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
#include "gc/terrace/h2/liveness/marking/h2MarkingProgress.hpp"
#include "unittest.hpp"

static const jlong Interval = H2MarkingProgress::IntervalNanos;

TEST(H2MarkingProgress, reports_nothing_before_the_first_interval_has_ended) {
  H2MarkingProgress progress(100);
  EXPECT_FALSE(progress.add(1, 100));
  EXPECT_FALSE(progress.add(2, 99 + Interval));
  EXPECT_TRUE(progress.add(4, 100 + Interval));
  EXPECT_EQ(7u, progress.words());
}

TEST(H2MarkingProgress, reports_once_in_each_interval) {
  H2MarkingProgress progress(0);
  EXPECT_TRUE(progress.add(0, Interval));
  EXPECT_FALSE(progress.add(0, Interval));
  EXPECT_FALSE(progress.add(0, 2 * Interval - 1));
  EXPECT_TRUE(progress.add(0, 2 * Interval));
}

TEST(H2MarkingProgress, starts_the_next_interval_at_a_late_report) {
  H2MarkingProgress progress(0);
  EXPECT_TRUE(progress.add(0, 10 * Interval));
  EXPECT_FALSE(progress.add(0, 11 * Interval - 1));
  EXPECT_TRUE(progress.add(0, 11 * Interval));
}
