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
#include "gc/terrace/tiers/tierMap.hpp"
#include "unittest.hpp"

static const size_t RegionBytes = 16 * M;
static const uint   Regions = 10000;

class TierMapTest : public ::testing::Test {
 protected:
  // Returns the requests of a pass over all regions, in the order of regions.
  static uint pass(TierMap* map, TierMap::Work* work, uint max) {
    uint count = 0;
    while (map->is_sweep_needed()) {
      count += map->sweep(work + count, max - count);
    }
    return count;
  }

  static void transfer(TierMap* map, uint first, uint count, jlong label) {
    for (uint i = first; i < first + count; i++) {
      map->opened(i, 1, label);
    }
    map->collection_ended();
  }

  static size_t fast_of(const TierMap& map, uint first, uint count) {
    size_t fast = 0;
    for (uint i = first; i < first + count; i++) {
      fast += map.tier_of_region(i) == Tier::Fast ? 1 : 0;
    }
    return fast;
  }

  TierMap::Work _work[64];
};

TEST_F(TierMapTest, names) {
  TierMap::Policy policy = TierMap::Hints;
  ASSERT_TRUE(TierMap::parse_policy("lru", &policy));
  ASSERT_EQ(policy, TierMap::Lru);
  ASSERT_TRUE(TierMap::parse_policy("writes", &policy));
  ASSERT_EQ(policy, TierMap::Writes);
  ASSERT_FALSE(TierMap::parse_policy("LRU", &policy));
  ASSERT_FALSE(TierMap::parse_policy("", &policy));
  ASSERT_STREQ(TierMap::name_of(Tier::Fast), "fast");
  ASSERT_STREQ(TierMap::name_of(Tier::Heap), "heap");
}

TEST_F(TierMapTest, a_label_keeps_its_last_tier) {
  TierMap map(TierMap::Hints, 4 * RegionBytes, Regions, RegionBytes);
  ASSERT_EQ(map.tier_of_label(7), Tier::Auto);
  map.place(7, Tier::Fast);
  map.place(7, Tier::Slow);
  ASSERT_EQ(map.tier_of_label(7), Tier::Slow);
  map.place(7, Tier::Auto);
  ASSERT_EQ(map.tier_of_label(7), Tier::Auto);
}

TEST_F(TierMapTest, regions_have_their_labels_tier_from_the_start) {
  TierMap map(TierMap::Hints, 4 * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Fast);
  map.place(2, Tier::Slow);
  map.opened(0, 1, 1);
  map.opened(1, 2, 2);
  map.opened(3, 1, 3);
  ASSERT_EQ(map.tier_of_region(0), Tier::Fast);
  ASSERT_EQ(map.tier_of_region(1), Tier::Slow);
  ASSERT_EQ(map.tier_of_region(3), Tier::Auto);
  ASSERT_EQ(map.fast_bytes(), RegionBytes);
  ASSERT_FALSE(map.is_sweep_needed()) << "they are not filled yet";
  map.collection_ended();
  ASSERT_EQ(pass(&map, _work, 64), 1u) << "only what is slow has to go";
  ASSERT_EQ(_work[0].head, 1u);
  ASSERT_EQ(_work[0].run_length, 2u);
  ASSERT_FALSE(_work[0].bring);
}

TEST_F(TierMapTest, what_was_being_written_is_given_back_later_once) {
  TierMap map(TierMap::Hints, 4 * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Slow);
  transfer(&map, 0, 1, 1);
  ASSERT_EQ(pass(&map, _work, 64), 1u);
  ASSERT_FALSE(_work[0].is_second_look);
  ASSERT_TRUE(map.is_second_look_needed());
  map.look_again();
  ASSERT_EQ(pass(&map, _work, 64), 1u);
  ASSERT_TRUE(_work[0].is_second_look);
  ASSERT_FALSE(map.is_second_look_needed());
  map.look_again();
  ASSERT_EQ(pass(&map, _work, 64), 0u);
}

TEST_F(TierMapTest, what_grows_is_given_back_again) {
  TierMap map(TierMap::Hints, 4 * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Slow);
  map.place(2, Tier::Fast);
  transfer(&map, 0, 1, 1);
  transfer(&map, 1, 1, 2);
  pass(&map, _work, 64);
  map.grown(0);
  map.grown(1);
  map.collection_ended();
  ASSERT_EQ(pass(&map, _work, 64), 1u);
  ASSERT_EQ(_work[0].head, 0u);
}

TEST_F(TierMapTest, no_more_is_fast_than_there_is_room_for) {
  TierMap map(TierMap::Hints, 4 * RegionBytes + RegionBytes / 2, Regions, RegionBytes);
  map.place(1, Tier::Fast);
  map.opened(0, 3, 1);
  map.opened(3, 2, 1);                  // does not fit
  map.opened(5, 1, 1);                  // fits
  map.collection_ended();
  ASSERT_EQ(map.tier_of_region(0), Tier::Fast);
  ASSERT_EQ(map.tier_of_region(3), Tier::Slow);
  ASSERT_EQ(map.tier_of_region(5), Tier::Fast);
  ASSERT_EQ(map.fast_bytes(), 4 * RegionBytes);
}

TEST_F(TierMapTest, room_goes_to_those_that_wait) {
  TierMap map(TierMap::Hints, 2 * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Fast);
  transfer(&map, 0, 4, 1);
  pass(&map, _work, 64);
  ASSERT_EQ(fast_of(map, 0, 4), 2u);
  map.closed(0);
  ASSERT_TRUE(map.is_sweep_needed());
  ASSERT_EQ(pass(&map, _work, 64), 1u);
  ASSERT_EQ(_work[0].head, 2u);
  ASSERT_TRUE(_work[0].bring);
  ASSERT_EQ(map.fast_bytes(), 2 * RegionBytes);
}

TEST_F(TierMapTest, a_label_is_placed_after_it_has_moved) {
  TierMap map(TierMap::Hints, 2 * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, 4, 1);
  transfer(&map, 4, 4, 2);
  map.place(2, Tier::Fast);
  ASSERT_EQ(pass(&map, _work, 64), 4u) << "two come, and two make room as there is none for them";
  ASSERT_EQ(fast_of(map, 4, 4), 2u);
  ASSERT_EQ(map.tier_of_region(7), Tier::Slow);
  ASSERT_EQ(map.tier_of_region(0), Tier::Auto);
  map.place(1, Tier::Fast);
  pass(&map, _work, 64);
  ASSERT_EQ(fast_of(map, 0, 4), 0u);
  // Regions of the first label precede the regions that release their space.
  map.place(2, Tier::Slow);
  pass(&map, _work, 64);
  ASSERT_EQ(fast_of(map, 0, 4), 2u);
  ASSERT_EQ(fast_of(map, 4, 4), 0u);
  map.place(1, Tier::Auto);
  pass(&map, _work, 64);
  ASSERT_EQ(map.fast_bytes(), 0u);
}

TEST_F(TierMapTest, what_moved_before_its_label_belonged_to_the_heap_is_auto) {
  TierMap map(TierMap::Hints, 2 * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Fast);
  transfer(&map, 0, 1, 1);
  map.place(1, Tier::Heap);
  pass(&map, _work, 64);
  ASSERT_EQ(map.tier_of_region(0), Tier::Auto);
  ASSERT_EQ(map.fast_bytes(), 0u);
}

// A call holds the lock for a bounded time, and a change between calls is not lost.
TEST_F(TierMapTest, a_pass_is_many_calls) {
  TierMap map(TierMap::Hints, Regions * RegionBytes, Regions, RegionBytes);
  transfer(&map, 0, Regions, 1);
  map.place(1, Tier::Fast);
  uint calls = 0;
  while (map.is_sweep_needed()) {
    const uint count = map.sweep(_work, 64);
    ASSERT_LE(count, 64u);
    calls++;
    if (calls == 10) {
      map.place(1, Tier::Slow);
    }
  }
  ASSERT_GT(calls, Regions / 64);
  ASSERT_EQ(fast_of(map, 0, Regions), 0u);
  ASSERT_EQ(map.fast_bytes(), 0u);
}

// As long as memory has room for all of H2.
TEST_F(TierMapTest, slow_regions_leave_later_if_they_are_left_out) {
  TierMap map(TierMap::Hints, 2 * RegionBytes, Regions, RegionBytes);
  map.place(1, Tier::Slow);
  map.place(2, Tier::Fast);
  transfer(&map, 0, 3, 1);
  transfer(&map, 3, 1, 2);
  uint count = 0;
  while (map.is_sweep_needed()) {
    count += map.sweep(_work + count, 64 - count, false);
  }
  ASSERT_EQ(count, 0u);
  ASSERT_TRUE(map.has_left_out());
  map.sweep_left_out();
  ASSERT_FALSE(map.has_left_out());
  ASSERT_EQ(pass(&map, _work, 64), 3u);
  ASSERT_FALSE(_work[0].bring);
  ASSERT_EQ(pass(&map, _work, 64), 0u);
}

// On a node, only TierPlacer moves pages.
TEST_F(TierMapTest, pages_that_stay_are_moved_when_a_region_opens) {
  TierMap map(TierMap::Hints, 2 * RegionBytes, Regions, RegionBytes, true);
  map.place(1, Tier::Fast);
  transfer(&map, 0, 3, 1);
  transfer(&map, 3, 1, 2);
  ASSERT_EQ(map.tier_of_region(3), Tier::Slow) << "without a hint";
  ASSERT_EQ(pass(&map, _work, 64), 4u) << "they may have been used before";
  ASSERT_TRUE(_work[0].bring && _work[1].bring);
  ASSERT_FALSE(_work[2].bring) << "there is no room for it";
  ASSERT_FALSE(_work[3].bring);
  ASSERT_FALSE(map.is_second_look_needed());
  map.grown(0);
  map.grown(3);
  map.collection_ended();
  ASSERT_FALSE(map.is_sweep_needed()) << "what is written lies where the page was";
  map.place(1, Tier::Auto);
  ASSERT_EQ(pass(&map, _work, 64), 2u);
  ASSERT_FALSE(_work[0].bring || _work[1].bring);
  ASSERT_EQ(map.tier_of_region(0), Tier::Slow);
  ASSERT_EQ(map.fast_bytes(), 0u);
}

TEST_F(TierMapTest, what_found_no_room_is_moved_later) {
  TierMap map(TierMap::Hints, 2 * RegionBytes, Regions, RegionBytes, true);
  map.place(1, Tier::Fast);
  transfer(&map, 0, 2, 1);
  ASSERT_EQ(pass(&map, _work, 64), 2u);
  map.left_some(_work[1]);
  ASSERT_TRUE(map.is_second_look_needed());
  map.look_again();
  ASSERT_EQ(pass(&map, _work, 64), 1u);
  ASSERT_EQ(_work[0].head, 1u);
  ASSERT_TRUE(_work[0].bring && _work[0].is_second_look);
  ASSERT_FALSE(map.is_second_look_needed());
  map.left_some(_work[0]);
  map.look_again();
  ASSERT_EQ(pass(&map, _work, 64), 1u) << "as often as it takes";
  // The request is outdated if the region has a new tier or was freed.
  map.place(1, Tier::Slow);
  map.left_some(_work[0]);
  ASSERT_EQ(pass(&map, _work, 64), 2u);
  ASSERT_FALSE(_work[0].bring || _work[1].bring);
  const TierMap::Work slow = _work[1];
  map.closed(1);
  map.left_some(slow);
  map.look_again();
  ASSERT_EQ(pass(&map, _work, 64), 0u);
}

TEST_F(TierMapTest, with_monitoring_pages_that_stay_go_back_to_the_slow_tier) {
  TierMap map(TierMap::Both, 1 * RegionBytes, Regions, RegionBytes, true);
  map.place(1, Tier::Fast);
  transfer(&map, 0, 2, 1);
  ASSERT_EQ(map.tier_of_region(0), Tier::Fast);
  ASSERT_EQ(map.tier_of_region(1), Tier::Slow) << "not left to the system";
  ASSERT_EQ(pass(&map, _work, 64), 2u);
  map.place(1, Tier::Auto);
  ASSERT_EQ(pass(&map, _work, 64), 1u);
  ASSERT_EQ(_work[0].head, 0u);
  ASSERT_FALSE(_work[0].bring);
}

TEST_F(TierMapTest, policies_to_compare_with) {
  TierMap interleave(TierMap::Interleave, 3 * RegionBytes, Regions, RegionBytes);
  TierMap lru(TierMap::Lru, 3 * RegionBytes, Regions, RegionBytes);
  TierMap slow(TierMap::AllSlow, 3 * RegionBytes, Regions, RegionBytes);
  TierMap* const maps[] = { &interleave, &lru, &slow };
  for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
    maps[i]->place(1, Tier::Fast);
    transfer(maps[i], 0, 10, 1);
    pass(maps[i], _work, 64);
  }
  ASSERT_EQ(fast_of(interleave, 0, 7), 3u) << "every third one";
  ASSERT_EQ(fast_of(interleave, 0, 10), 3u) << "as long as there is room";
  ASSERT_EQ(interleave.tier_of_region(1), Tier::Slow);
  for (uint r = 0; r < 10; r++) {
    ASSERT_EQ(lru.tier_of_region(r), Tier::Auto);
    ASSERT_EQ(slow.tier_of_region(r), Tier::Slow);
  }
}
