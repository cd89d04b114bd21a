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
#include "gc/terrace/tiers/tierHeat.hpp"
#include "gc/terrace/tiers/tierMap.hpp"
#include "gc/terrace/tiers/tierMigration.hpp"
#include "gc/terrace/tiers/tierRate.hpp"
#include "gc/terrace/tiers/tierWindow.hpp"
#include "unittest.hpp"

#include <math.h>

static const size_t RegionBytes = 16 * M;
static const size_t Pages = 1000;
static const uint   Regions = 24;
static const uint   FastRegions = 8;

// Simulates the accesses of a program, window by window.
class TierMonitoringTest : public ::testing::Test {
 protected:
  size_t _to_fast;
  size_t _to_slow;

  TierMonitoringTest() : _to_fast(0), _to_slow(0) {}

  static void transfer(TierMap* map, uint first, uint count, jlong label, uint run_length = 1) {
    for (uint i = first; i < first + count; i++) {
      map->opened(i * run_length, run_length, label);
    }
    map->collection_ended();
  }

  // Simulates one turn, in which the fraction part(i) of region i's pages was accessed.
  template <typename Part>
  static void look(TierMap* map, Part part, float weight = 1.0f / 16) {
    TierMap::Sample samples[3];
    map->begin_turn(weight);
    while (!map->is_turn_over()) {
      const uint count = map->next_samples(samples, 3);
      for (uint i = 0; i < count; i++) {
        map->watched(samples[i]);
        map->observed(samples[i], (size_t)(part(samples[i].head) * Pages), Pages);
      }
    }
  }

  void migrate(TierMap* map, size_t max_bytes = max_uintx) {
    TierMigration migration;
    while (map->offer(&migration)) {
    }
    map->migrate(migration, max_bytes, &_to_fast, &_to_slow);
    TierMap::Work work[2 * Regions];
    while (map->is_sweep_needed()) {
      map->sweep(work, 2 * Regions);
    }
    ASSERT_LE(map->fast_bytes(), FastRegions * RegionBytes);
  }

  template <typename Part>
  void windows(TierMap* map, uint count, Part part) {
    for (uint i = 0; i < count; i++) {
      look(map, part);
      migrate(map);
    }
  }

  static uint fast_of(const TierMap& map, uint first, uint count) {
    uint fast = 0;
    for (uint i = first; i < first + count; i++) {
      fast += map.tier_of_region(i) == Tier::Fast ? 1 : 0;
    }
    return fast;
  }
};

TEST_F(TierMonitoringTest, what_is_read_equally_often_takes_no_room) {
  static const float weights[] = { TierHeat::LeastWeight, 1.0f / 32, TierHeat::MostWeight };
  for (uint k = 1; k <= 300; k++) {
    const float weight = weights[k % ARRAY_SIZE(weights)];
    const uint length = k / ARRAY_SIZE(weights) + 1;
    float coldest = 1;
    float hottest = 0;
    float heat = 0;
    uint count = 0;
    for (uint window = 0; window < MAX2(2000u, 40 * length); window++) {
      count = TierHeat::windows_after(count, weight);
      heat = TierHeat::after(heat, window % length == 0 ? 1.0f : 0.0f, count, weight);
      if (window >= MAX2(1500u, 20 * length)) {
        coldest = MIN2(coldest, heat);
        hottest = MAX2(hottest, heat);
      }
    }
    ASSERT_FALSE(TierHeat::takes_room(hottest, count, coldest, count))
      << length << " windows a pass: " << coldest << " to " << hottest << ", weight " << weight;
    ASSERT_TRUE(length > 16 || weight == TierHeat::MostWeight || TierHeat::takes_free_room(hottest, count))
      << length << " windows a pass, and free room is not used";
  }
  for (size_t i = 0; i < ARRAY_SIZE(weights); i++) {
    float heat = TierHeat::after(0, 1, 1, weights[i]);
    uint count = 1;
    for (uint window = 0; window < 5000; window++) {
      ASSERT_FALSE(TierHeat::takes_free_room(heat, count)) << "what is read once takes none, window " << window;
      count = TierHeat::windows_after(count, weights[i]);
      heat = TierHeat::after(heat, 0, count, weights[i]);
    }
  }
}

TEST_F(TierMonitoringTest, without_a_hint_hot_regions_become_fast_once) {
  static const TierMap::Policy policies[] = { TierMap::Monitor, TierMap::Writes };
  for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
    TierMap map(policies[i], FastRegions * RegionBytes, Regions, RegionBytes);
    map.place(1, Tier::Fast);           // has no effect
    transfer(&map, 0, Regions, 1);
    ASSERT_EQ(fast_of(map, 0, Regions), 0u);
    ASSERT_EQ(map.heat_of_region(0), 0.0f);
    _to_fast = 0;
    windows(&map, 20, [](uint i) { return i >= 10 && i < 16 ? 1.0 : 0.0; });
    ASSERT_EQ(fast_of(map, 10, 6), 6u);
    ASSERT_EQ(fast_of(map, 0, Regions), 6u) << "what is not used stays where it is, though there is room";
    ASSERT_EQ(_to_fast, 6 * RegionBytes);
    ASSERT_EQ(_to_slow, 0u);
  }
}

TEST_F(TierMonitoringTest, a_hot_set_that_moves_is_followed_without_oscillation) {
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, Regions, 1);
  for (uint set = 0; set < 30; set++) {
    const uint first = set % 3 * FastRegions;
    windows(&map, 40, [=](uint i) { return i >= first && i < first + FastRegions ? 1.0 : 0.0; });
    ASSERT_EQ(fast_of(map, first, FastRegions), FastRegions) << "set " << set;
    ASSERT_EQ(_to_fast, (set + 1) * FastRegions * RegionBytes) << "each becomes fast once, set " << set;
    ASSERT_EQ(_to_slow, set * FastRegions * RegionBytes) << "set " << set;
    ASSERT_EQ(map.tier_of_region((first + 2 * FastRegions) % Regions), set < 1 ? Tier::Auto : Tier::Slow);
  }
}

// Such a set cannot be followed, but it must not cost much.
TEST_F(TierMonitoringTest, a_hot_set_that_moves_each_window_moves_next_to_nothing) {
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, Regions, 1);
  for (uint window = 0; window < 300; window++) {
    const uint first = window % 3 * FastRegions;
    windows(&map, 1, [=](uint i) { return i >= first && i < first + FastRegions ? 1.0 : 0.0; });
  }
  ASSERT_LE(_to_fast, Regions * RegionBytes);
}

TEST_F(TierMonitoringTest, passes_over_more_than_fits_move_nothing_after_a_while) {
  static const uint lengths[] = { 1, 2, 3, 5, 8, 12, 24 };
  for (size_t k = 0; k < ARRAY_SIZE(lengths); k++) {
    TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
    transfer(&map, 0, Regions, 1);
    const uint length = lengths[k];
    for (uint window = 0; window < 60 * length; window++) {
      if (window == 20 * length) {
        _to_fast = 0;
      }
      windows(&map, 1, [=](uint i) { return i % length == window % length ? 1.0 : 0.0; });
    }
    ASSERT_EQ(_to_fast, 0u) << "passes of " << length << " windows";
    ASSERT_TRUE(length > 12 || fast_of(map, 0, Regions) == FastRegions) << "there is room for some";
  }
}

TEST_F(TierMonitoringTest, hints_are_where_it_starts_from) {
  TierMap map(TierMap::Both, FastRegions * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Fast);
  map.place(2, Tier::Slow);
  transfer(&map, 0, FastRegions, 1);
  transfer(&map, FastRegions, FastRegions, 2);
  ASSERT_EQ(fast_of(map, 0, FastRegions), FastRegions);
  ASSERT_EQ(map.tier_of_region(FastRegions), Tier::Slow);
  // The hints are right. Each window uses a third of the fast regions, and rarely the slow ones.
  for (uint window = 0; window < 60; window++) {
    windows(&map, 1, [=](uint i) { return (i < FastRegions ? i % 3 == window % 3 : window % 15 == 0) ? 1.0 : 0.0; });
  }
  ASSERT_EQ(_to_fast + _to_slow, 0u);
  // The hints are wrong.
  windows(&map, 40, [](uint i) { return i >= FastRegions ? 1.0 : 0.0; });
  ASSERT_EQ(fast_of(map, FastRegions, FastRegions), FastRegions);
  ASSERT_EQ(map.tier_of_region(0), Tier::Slow);
  ASSERT_EQ(_to_fast, FastRegions * RegionBytes);
  // A sweep for another reason does not move these regions.
  transfer(&map, 2 * FastRegions, 2, 2);
  migrate(&map);
  ASSERT_EQ(fast_of(map, FastRegions, FastRegions), FastRegions);
  // A new hint applies until the accesses contradict it.
  map.place(2, Tier::Auto);
  map.place(1, Tier::Auto);
  migrate(&map);
  ASSERT_EQ(map.tier_of_region(0), Tier::Auto);
  ASSERT_EQ(map.fast_bytes(), 0u);
  map.place(1, Tier::Fast);
  migrate(&map);
  ASSERT_EQ(fast_of(map, 0, FastRegions), FastRegions);
}

TEST_F(TierMonitoringTest, what_is_hinted_fast_and_finds_no_room_gets_it_from_what_is_not_used) {
  TierMap map(TierMap::Both, FastRegions * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Fast);
  transfer(&map, 0, FastRegions, 1);
  windows(&map, 10, [](uint i) { return 0.0; });
  ASSERT_EQ(fast_of(map, 0, FastRegions), FastRegions) << "nothing wants their room";
  map.place(2, Tier::Fast);
  transfer(&map, FastRegions, 2, 2);
  ASSERT_EQ(map.tier_of_region(FastRegions), Tier::Auto);
  windows(&map, 40, [](uint i) { return i >= FastRegions ? 1.0 : 0.0; });
  ASSERT_EQ(fast_of(map, FastRegions, 2), 2u);
  ASSERT_EQ(fast_of(map, 0, FastRegions), FastRegions - 2);
}

TEST_F(TierMonitoringTest, a_run_needs_room_for_all_of_it) {
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, 8, 1);
  windows(&map, 10, [](uint i) { return 1.0; });
  ASSERT_EQ(fast_of(map, 0, 8), 8u);
  map.opened(8, 5, 2);
  map.opened(13, 9, 2);                 // too large for fast memory
  map.collection_ended();
  windows(&map, 40, [](uint i) { return i < 3 || i >= 8 ? 1.0 : 0.0; });
  ASSERT_EQ(map.tier_of_region(8), Tier::Fast);
  ASSERT_NE(map.tier_of_region(13), Tier::Fast);
  ASSERT_EQ(fast_of(map, 0, 3), 3u);
  ASSERT_EQ(fast_of(map, 3, 5), 0u);
  map.closed(8);
  ASSERT_EQ(map.fast_bytes(), 3 * RegionBytes);
}

TEST_F(TierMonitoringTest, migration_is_bounded_by_bytes) {
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, Regions, 1);
  for (uint i = 0; i < TierHeat::LeastWindows; i++) {
    look(&map, [](uint) { return 1.0; });
  }
  migrate(&map, 3 * RegionBytes);
  ASSERT_EQ(_to_fast, 3 * RegionBytes);
  migrate(&map, 1);
  ASSERT_EQ(_to_fast, 4 * RegionBytes) << "what is begun is done";
}

TEST_F(TierMonitoringTest, windows_in_which_pages_moved_tell_nothing) {
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, 1, 1);
  TierMap::Sample s;
  const auto begin = [&]() {
    map.begin_turn(1.0f / 16);
    EXPECT_EQ(map.next_samples(&s, 1), 1u);
  };
  begin();
  map.observed(s, Pages, Pages);
  ASSERT_EQ(map.heat_of_region(0), 0.0f) << "it was not watched: what is mapped is what the transfer wrote";
  begin();
  map.watched(s);
  map.observed(s, 0, 0);
  ASSERT_EQ(map.heat_of_region(0), 0.0f) << "accesses are unknown";
  look(&map, [](uint) { return 1.0; });
  ASSERT_EQ(map.heat_of_region(0), 1.0f);
  begin();
  map.watched(s);
  map.grown(0);
  map.collection_ended();
  map.observed(s, 0, Pages);
  ASSERT_EQ(map.heat_of_region(0), 1.0f);
  begin();
  map.watched(s);
  const TierMap::Work work = { 0, 1, true, false };
  map.performed(work);
  map.observed(s, 0, Pages);
  ASSERT_EQ(map.heat_of_region(0), 1.0f);
  begin();
  map.watched(s);
  map.observed(s, Pages, Pages, 0.5f);
  ASSERT_EQ(map.heat_of_region(0), 0.75f) << "the window was twice as long as intended";
  // The region is freed while it is sampled, and another one replaces it.
  begin();
  map.watched(s);
  map.closed(0);
  transfer(&map, 0, 1, 2);
  map.observed(s, Pages, Pages);
  ASSERT_EQ(map.heat_of_region(0), 0.0f);
}

TEST_F(TierMonitoringTest, pages_that_leave_the_mapping_count) {
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, 2, 1);
  uint piece;
  TierMap::Sample samples[2];
  map.begin_turn(1.0f / 16);
  ASSERT_EQ(map.next_samples(samples, 2), 2u);
  ASSERT_FALSE(map.is_watched(0, &piece));
  map.watched(samples[0]);
  map.watched(samples[1]);
  ASSERT_TRUE(map.is_watched(0, &piece));
  map.take_pages(0, piece, Pages / 2);
  map.take_pages(1, piece, 2 * Pages);
  map.take_pages(1, piece + 1, Pages);  // this piece is not watched
  map.observed(samples[0], Pages / 4, Pages);
  map.observed(samples[1], Pages / 4, Pages);
  ASSERT_FLOAT_EQ(map.heat_of_region(0), 0.75f);
  ASSERT_FLOAT_EQ(map.heat_of_region(1), 1.0f) << "no more than there are";
  ASSERT_FALSE(map.is_watched(0, &piece));
  look(&map, [](uint) { return 0.0; });
  ASSERT_FLOAT_EQ(map.heat_of_region(1), 0.5f);
}

// A call holds the lock for a bounded time.
TEST_F(TierMonitoringTest, a_turn_and_a_choice_are_many_calls) {
  static const uint Many = 100000;
  TierMap map(TierMap::Monitor, FastRegions * RegionBytes, Many, RegionBytes);
  transfer(&map, 0, 10, 1);
  transfer(&map, Many - 10, 10, 1);
  TierMap::Sample samples[64];
  uint calls = 0;
  uint count = 0;
  for (; !map.is_turn_over(); calls++) {
    count += map.next_samples(samples, 64);
  }
  ASSERT_EQ(count, 20u);
  ASSERT_GT(calls, 20u);
  TierMigration migration;
  for (calls = 1; map.offer(&migration); calls++) {
  }
  ASSERT_GT(calls, 20u);
}

TEST_F(TierMonitoringTest, without_monitoring_there_is_no_heat) {
  TierMap map(TierMap::Hints, FastRegions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, 1, 1);
  ASSERT_FALSE(map.is_monitored());
  ASSERT_EQ(map.heat_of_region(0), -1.0f);
}

TEST(TierMigration, keeps_the_hottest_and_the_coldest) {
  TierMigration migration;
  for (uint i = 0; i < 1000; i++) {
    const uint head = (i * 7919) % 1000;
    const TierMigration::Candidate c = { head, 1, head / 1000.0f, 1 };
    migration.offer_hot(c);
    migration.offer_cold(c);
  }
  ASSERT_EQ(migration.hot_count(), TierMigration::Most + 0);
  ASSERT_EQ(migration.cold_count(), TierMigration::Most + 0);
  for (uint i = 0; i < migration.hot_count(); i++) {
    ASSERT_EQ(migration.hot(i).head, 999 - i);
    ASSERT_EQ(migration.cold(i).head, i);
  }
}

// Each window finds all or no pages of a region accessed, as with huge pages, with the probability of the region.
class TierChoiceTest : public TierMonitoringTest {
  uint _random;

  bool happens(double probability) {
    _random = _random * 1664525 + 1013904223;
    return (_random >> 8) < probability * (1 << 24);
  }

 protected:
  TierMap _map;

  TierChoiceTest() : _random(7), _map(TierMap::Monitor, FastRegions * RegionBytes, Regions, RegionBytes) {
    transfer(&_map, 0, Regions, 1);
  }

  template <typename Probability>
  void intervals(uint count, Probability probability) {
    for (uint i = 0; i < count; i++) {
      for (uint window = 0; window < 64; window++) {
        look(&_map, [&](uint r) { return happens(probability(r)) ? 1.0 : 0.0; }, TierHeat::LeastWeight);
      }
      migrate(&_map);
    }
  }
};

TEST_F(TierChoiceTest, equal_regions_fill_fast_memory_and_stay) {
  static const double probabilities[] = { 1, 0.5, 0.2 };
  for (size_t i = 0; i < ARRAY_SIZE(probabilities); i++) {
    intervals(100, [=](uint) { return probabilities[i]; });
    ASSERT_EQ(fast_of(_map, 0, Regions), FastRegions);
    ASSERT_EQ(_to_fast, FastRegions * RegionBytes) << probabilities[i];
    ASSERT_EQ(_to_slow, 0u);
  }
}

TEST_F(TierChoiceTest, the_hottest_regions_become_fast_although_all_are_used) {
  intervals(20, [](uint i) { return i >= Regions - FastRegions ? 0.9 : 0.3; });
  ASSERT_EQ(fast_of(_map, Regions - FastRegions, FastRegions), FastRegions);
  ASSERT_LE(_to_slow, 2 * RegionBytes);
}

// The other pages of these regions are not used.
TEST_F(TierChoiceTest, regions_of_which_an_eighth_is_hot_become_fast) {
  intervals(20, [](uint i) { return i % 3 == 1 ? 0.6 / 8 : 0.005; });
  uint fast = 0;
  for (uint i = 1; i < Regions; i += 3) {
    fast += fast_of(_map, i, 1);
  }
  ASSERT_EQ(fast, FastRegions);
  ASSERT_LE(_to_slow, 2 * RegionBytes);
}

TEST_F(TierChoiceTest, a_hot_set_that_moves_is_followed) {
  for (uint set = 0; set < 9; set++) {
    const uint first = set % 3 * FastRegions;
    intervals(20, [=](uint i) { return i >= first && i < first + FastRegions ? 0.7 : 0.1; });
    ASSERT_EQ(fast_of(_map, first, FastRegions), FastRegions) << "set " << set;
  }
  ASSERT_LE(_to_fast, 10 * FastRegions * RegionBytes) << "each becomes fast about once";
}

TEST(TierHistogram, tells_the_heat_of_what_fits) {
  TierHistogram histogram;
  ASSERT_EQ(histogram.threshold(1), 0.0f);
  for (uint i = 0; i < 10; i++) {
    histogram.add(0.01f * i, M);
  }
  histogram.add(1, 2 * M);
  ASSERT_EQ(histogram.threshold(2 * M), 1.0f);
  ASSERT_NEAR(histogram.threshold(4 * M), 0.08f, 0.02f);
  ASSERT_EQ(histogram.threshold(100 * M), 0.0f);
  histogram.clear();
  ASSERT_EQ(histogram.threshold(2 * M), 0.0f);
}

// Returns the length in seconds of a window for pages that are accessed so many times a second, and for others that are not.
static double window_for(double per_second, double part, jlong late = 0) {
  TierWindow window(5 * (jlong)NANOSECS_PER_SEC);
  for (uint turn = 0; turn < 200; turn++) {
    for (uint sample = 0; sample < 8; sample++) {
      const jlong early = window.part_nanos() + late;
      const jlong all = window.nanos() + late;
      const double pages = part * 1000000;
      window.add((size_t)(pages * (1 - exp(-per_second * early / NANOSECS_PER_SEC))), early,
                 (size_t)(pages * (1 - exp(-per_second * all / NANOSECS_PER_SEC))), all, 1000000, true);
    }
    window.turn_over();
  }
  return (double)window.nanos() / NANOSECS_PER_SEC;
}

TEST(TierWindow, follows_the_frequency_of_accesses) {
  static const struct {
    double part;
    double least;
    double most;
  } expected[] = { { 1, 0.06, 0.3 }, { 0.5, 0.1, 0.6 }, { 0.125, 0.4, 3 }, { 0.01, 0.4, 3 } };
  for (double per_second = 0.5; per_second < 3000; per_second *= 3) {
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
      const double accesses = per_second * window_for(per_second, expected[i].part);
      ASSERT_GT(accesses, expected[i].least) << per_second << " accesses a second, part " << expected[i].part;
      ASSERT_LT(accesses, expected[i].most) << per_second << " accesses a second, part " << expected[i].part;
    }
  }
  ASSERT_DOUBLE_EQ(window_for(0, 1), 5) << "not used";
  ASSERT_DOUBLE_EQ(window_for(1e7, 1), 1e-5) << "there is a least length";
  ASSERT_DOUBLE_EQ(window_for(1e7, 1, NANOSECS_PER_SEC), 1e-3) << "counted too late to tell anything";
}

TEST(TierRate, is_kept_over_time) {
  TierRate rate(100, 2, 0);
  ASSERT_LE(rate.left(0), 0);
  ASSERT_DOUBLE_EQ(rate.left(NANOSECS_PER_SEC), 100);
  ASSERT_DOUBLE_EQ(rate.left(10 * (jlong)NANOSECS_PER_SEC), 200) << "no more than for two seconds is kept";
  rate.use(450);
  ASSERT_LE(rate.left(12 * (jlong)NANOSECS_PER_SEC), 0) << "what was used too much is waited for";
  ASSERT_GT(rate.left(13 * (jlong)NANOSECS_PER_SEC), 0);
  TierRate none(0, 1, 0);
  ASSERT_LE(none.left(1000 * (jlong)NANOSECS_PER_SEC), 0);
}
