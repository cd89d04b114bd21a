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
#include "gc/terrace/h2/liveness/marking/h2GarbageBound.hpp"
#include "unittest.hpp"

static const size_t MWords = M / HeapWordSize;
// The least garbage is 512 MB.
static const H2GarbageBound::Limits limits = { 50, 64 * K * MWords, 0 };

// Asks once a second while so much is added, in MB. Marks when that is due; a marking reads 1 MB in
// a millisecond and leaves at most so much in use. Returns the time in markings.
struct GarbageProgram {
  H2GarbageBound bound;
  size_t used;              // MB
  julong now;               // milliseconds
  int    markings;
  julong millis;
  size_t most;
  size_t written;           // MB
  size_t writes;            // percent of what is added

  GarbageProgram(size_t writes) : used(0), now(1000000), markings(0), millis(0), most(0), written(0), writes(writes) {}

  void run(int seconds, size_t added, size_t live, const H2GarbageBound::Limits& limits) {
    for (int i = 0; i < seconds; i++) {
      used += added;
      written += added * writes / 100;
      now += 1000;
      most = MAX2(most, used);
      if (bound.is_due(limits, used * MWords, written * MWords, now, used, 0)) {
        const size_t reachable = MIN2(used, live);
        bound.marked(used * MWords, reachable * MWords, reachable * MWords, written * MWords, limits.capacity_words, reachable, now);
        markings++;
        millis += reachable;
        used = reachable;
      }
    }
  }
};

TEST(H2GarbageBound, bounds_a_program_that_replaces) {
  GarbageProgram p(50);
  p.run(1000, 60, 200, limits);
  // The least garbage, or what comes in 64 times the cost of a marking.
  EXPECT_LE(p.most, (size_t)200 + 64 * 200 * 60 / 1000 + 60);
  EXPECT_GT(p.markings, 10);
  EXPECT_LE(p.millis, 1000u * 1000 / 65 + 200);
}

TEST(H2GarbageBound, costs_a_program_that_loads_little) {
  for (size_t rate = 10; rate <= 1000; rate *= 10) {
    const int seconds = 40000 / (int)rate;
    GarbageProgram p(1);
    p.run(seconds, rate, 64 * K, limits);
    EXPECT_LE(p.millis, seconds * 1000u / 65) << rate << " MB/s";
    // A map that is filled is written as much, and pays for one marking of 512 MB.
    GarbageProgram map(50);
    map.run(seconds, rate, 64 * K, limits);
    EXPECT_LE(map.millis, seconds * 1000u / 65 + 1024) << rate << " MB/s";
  }
}

TEST(H2GarbageBound, no_early_marking_of_a_slow_device) {
  const size_t used = 600 * MWords;
  const julong start = 1000000;
  H2GarbageBound bound;
  EXPECT_FALSE(bound.is_due(limits, MWords, MWords, start, 1, 0));
  EXPECT_FALSE(bound.is_due(limits, used, used, start + 10000, 600, 20000));
  EXPECT_TRUE(bound.is_due(limits, used, used, start + 10000, 600, 0));
}

TEST(H2GarbageBound, much_garbage_does_not_hide_the_time_to_read) {
  const size_t used = 1000 * MWords;
  const julong start = 1000000;
  H2GarbageBound bound;
  bound.is_due(limits, MWords, MWords, start, 1, 0);
  bound.marked(used, 100 * MWords, 100 * MWords, used, limits.capacity_words, 1000, start + 1000);
  const julong later = start + 1000 + 64 * 1000;
  EXPECT_FALSE(bound.is_due(limits, used, 2 * used, later, 1000, 60000));
  EXPECT_TRUE(bound.is_due(limits, used, 2 * used, later, 1000, 0));
}

TEST(H2GarbageBound, rests_with_the_program) {
  GarbageProgram p(50);
  p.run(10, 400, 64 * K, limits);
  const int markings = p.markings;
  p.run(100000, 0, 64 * K, limits);
  EXPECT_EQ(markings, p.markings);
}

TEST(H2GarbageBound, waits_for_the_least) {
  GarbageProgram p(50);
  p.run(500, 1, 100, limits);
  EXPECT_EQ(0, p.markings);
  p.run(50, 1, 100, limits);
  EXPECT_EQ(1, p.markings);
}

TEST(H2GarbageBound, has_limits) {
  const H2GarbageBound::Limits none = { 100, 64 * K * MWords, 0 };
  GarbageProgram p(50);
  p.run(1000, 60, 200, none);
  EXPECT_EQ(0, p.markings);
  // The pause has a goal, which is less than the first marking takes.
  const H2GarbageBound::Limits goal = { 50, 64 * K * MWords, 200 };
  GarbageProgram q(50);
  q.run(1000, 60, 200, goal);
  EXPECT_EQ(0, q.markings);
  // A tenth may be garbage, once live data is large.
  const H2GarbageBound::Limits tenth = { 10, 64 * K * MWords, 0 };
  GarbageProgram less(50);
  less.run(50000, 1, 10000, tenth);
  GarbageProgram half(50);
  half.run(50000, 1, 10000, limits);
  EXPECT_LE(less.most, (size_t)12000);
  EXPECT_GT(half.most, (size_t)19000);
  EXPECT_LE(half.most, (size_t)21000);
}
