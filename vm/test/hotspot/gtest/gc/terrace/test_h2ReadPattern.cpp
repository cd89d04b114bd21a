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
#include "gc/terrace/h2/paging/h2ReadPattern.hpp"
#include "unittest.hpp"

typedef H2ReadPattern::Mode Mode;
static const Mode Sequential = H2ReadPattern::Sequential;
static const Mode Random = H2ReadPattern::Random;

// Observations until the mode changes.
static int change(H2ReadPattern& pattern, Mode seen) {
  int count = 1;
  while (!pattern.observe(seen)) {
    count++;
  }
  return count;
}

static void stay(H2ReadPattern& pattern, int observations) {
  for (int i = 0; i < observations; i++) {
    ASSERT_FALSE(pattern.observe(pattern.mode()));
  }
}

TEST(H2ReadPattern, changes_by_evidence_and_back) {
  H2ReadPattern pattern(Sequential);
  ASSERT_EQ(change(pattern, Random), 8);
  ASSERT_EQ(pattern.mode(), Random);
  stay(pattern, 20);
  ASSERT_EQ(change(pattern, Sequential), 8);
  ASSERT_EQ(pattern.mode(), Sequential);
}

TEST(H2ReadPattern, keeps_a_mode_that_most_observations_confirm) {
  H2ReadPattern pattern(Random);
  for (int i = 0; i < 10000; i++) {
    ASSERT_FALSE(pattern.observe(i % 3 == 0 ? Sequential : Random));
  }
}

TEST(H2ReadPattern, needs_more_evidence_for_a_change_that_did_not_last) {
  H2ReadPattern pattern(Random);
  ASSERT_EQ(change(pattern, Sequential), 8);
  ASSERT_EQ(change(pattern, Random), 8);
  for (int needed = 16; needed <= 128; needed *= 2) {
    ASSERT_EQ(pattern.needed(), needed);
    ASSERT_EQ(change(pattern, Sequential), needed);
    ASSERT_EQ(change(pattern, Random), 8);
  }
  ASSERT_EQ(pattern.needed(), 128) << "the program may still change";
}

TEST(H2ReadPattern, forgets_wrong_changes_after_a_long_stay) {
  H2ReadPattern pattern(Random);
  change(pattern, Sequential);
  change(pattern, Random);
  change(pattern, Sequential);
  stay(pattern, 1000);
  change(pattern, Random);
  ASSERT_EQ(pattern.needed(), 8);
}

TEST(H2ReadPattern, changes_after_fewer_observations_that_are_clear) {
  H2ReadPattern pattern(Random);
  ASSERT_FALSE(pattern.observe(Sequential, 1));
  ASSERT_FALSE(pattern.observe(Sequential, 4));
  ASSERT_TRUE(pattern.observe(Sequential, 4));
}

TEST(H2HugePageEntry, is_at_the_start_in_a_pass) {
  ASSERT_EQ(H2HugePageEntry::mode_of(0, 2 * M), Sequential);
  ASSERT_EQ(H2HugePageEntry::mode_of(64 * K, 2 * M), Sequential);
  ASSERT_EQ(H2HugePageEntry::mode_of(2 * M - 1 * K, 2 * M), Sequential) << "of an object that goes on in the next one";
  ASSERT_EQ(H2HugePageEntry::mode_of(1 * M, 2 * M), Random);
}

TEST(H2ReadAhead, tells_passes_from_single_reads) {
  Mode mode;
  ASSERT_TRUE(H2ReadAhead::tell(512, 512, 0, 0, 0, &mode)) << "all of the window was read ahead, and accessed";
  ASSERT_EQ(mode, Sequential);
  ASSERT_TRUE(H2ReadAhead::tell(512, 512, 480, 480, 0, &mode)) << "and so in small parts";
  ASSERT_EQ(mode, Sequential);
  ASSERT_TRUE(H2ReadAhead::tell(512, 16, 0, 0, 0, &mode));
  ASSERT_EQ(mode, Random);
  ASSERT_TRUE(H2ReadAhead::tell(32, 16, 480, 0, 0, &mode)) << "a fault maps sixteen pages";
  ASSERT_EQ(mode, Random);
  ASSERT_FALSE(H2ReadAhead::tell(16, 16, 511, 15, 0, &mode)) << "so this tells nothing";
  ASSERT_FALSE(H2ReadAhead::tell(300, 300, 212, 12, 0, &mode)) << "a slow pass";
  ASSERT_FALSE(H2ReadAhead::tell(0, 0, 511, 0, 0, &mode)) << "the pages have left memory again";
}

TEST(H2ReadAhead, tells_single_reads_if_nothing_is_read_ahead) {
  Mode mode;
  ASSERT_TRUE(H2ReadAhead::tell(2, 2, 511, 1, 0, &mode));
  ASSERT_EQ(mode, Random);
  ASSERT_TRUE(H2ReadAhead::tell(40, 40, 480, 8, 5, &mode)) << "earlier reads were in this window, too";
  ASSERT_EQ(mode, Random);
  ASSERT_TRUE(H2ReadAhead::tell(200, 200, 480, 168, 150, &mode)) << "single reads at a high rate";
  ASSERT_EQ(mode, Random);
  ASSERT_TRUE(H2ReadAhead::tell(400, 400, 511, 399, 0, &mode)) << "a pass that reads page by page";
  ASSERT_EQ(mode, Sequential);
}

TEST(H2Arrivals, tell_passes_from_single_reads) {
  Mode mode;
  ASSERT_TRUE(H2Arrivals::tell(512, 500, 0, &mode));
  ASSERT_EQ(mode, Sequential);
  ASSERT_TRUE(H2Arrivals::tell(512, 2, 0, &mode));
  ASSERT_EQ(mode, Random);
  ASSERT_TRUE(H2Arrivals::tell(512, 300, 250, &mode)) << "single reads at a high rate";
  ASSERT_EQ(mode, Random);
  ASSERT_FALSE(H2Arrivals::tell(512, 80, 0, &mode)) << "a slow pass, or single reads of a small part";
  ASSERT_FALSE(H2Arrivals::tell(10, 10, 0, &mode)) << "nearly all was there before";
}

TEST(H2Arrivals, are_clear_if_they_fill_a_large_window_and_no_other) {
  ASSERT_EQ(H2Arrivals::weight_of_pass(512, 500, 0), 4);
  ASSERT_EQ(H2Arrivals::weight_of_pass(512, 500, 20), 4);
  ASSERT_EQ(H2Arrivals::weight_of_pass(512, 500, 40), 1) << "single reads at a high rate";
  ASSERT_EQ(H2Arrivals::weight_of_pass(512, 300, 0), 1);
  ASSERT_EQ(H2Arrivals::weight_of_pass(100, 100, 0), 1);
}
