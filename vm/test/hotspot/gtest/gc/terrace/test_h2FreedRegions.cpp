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
#include "gc/terrace/h2/space/h2FreedRegions.hpp"
#include "threadHelper.inline.hpp"
#include "unittest.hpp"

TEST_VM(H2FreedRegions, are_claimed_once) {
  H2FreedRegions regions(10);
  ASSERT_EQ((uint)H2FreedRegions::None, regions.claim());
  regions.freed(3, 4);
  ASSERT_EQ(4u, regions.full_count());
  uint claimed = 0;
  uint index;
  while ((index = regions.claim()) != H2FreedRegions::None) {
    ASSERT_TRUE(index >= 3 && index < 7) << index;
    claimed |= 1u << index;
    ASSERT_FALSE(regions.is_wanted(index));
    regions.finish(index, true);
  }
  ASSERT_EQ(0x78u, claimed);
  ASSERT_EQ(0u, regions.full_count());
}

TEST_VM(H2FreedRegions, that_are_used_again_are_left_alone) {
  H2FreedRegions regions(10);
  regions.freed(0, 10);
  ASSERT_EQ(3u, regions.reuse(4, 3));
  ASSERT_EQ(7u, regions.full_count());
  for (uint i = 0; i < 7; i++) {
    const uint index = regions.claim();
    ASSERT_TRUE(index < 4 || (index >= 7 && index < 10)) << index;
    regions.finish(index, true);
  }
  ASSERT_EQ((uint)H2FreedRegions::None, regions.claim());
  ASSERT_EQ(0u, regions.reuse(0, 10));
}

TEST_VM(H2FreedRegions, that_could_not_be_returned_stay_full) {
  H2FreedRegions regions(2);
  regions.freed(1, 1);
  const uint index = regions.claim();
  regions.finish(index, false);
  ASSERT_EQ(1u, regions.full_count());
  regions.freed(1, 1);
  ASSERT_EQ(1u, regions.full_count());
  ASSERT_EQ(index, regions.claim());
}

// Writes zeros to free regions in portions, like the punching of holes.
class ReturningThread : public JavaTestThread {
  H2FreedRegions&      _regions;
  volatile uint* const _contents;
  const uint           _portions;
  volatile bool&       _ends;

 public:
  ReturningThread(Semaphore* post, H2FreedRegions& regions, volatile uint* contents, uint portions, volatile bool& ends) :
    JavaTestThread(post), _regions(regions), _contents(contents), _portions(portions), _ends(ends) {}

  virtual void main_run() {
    uint round = 0;
    while (!Atomic::load(&_ends)) {
      const uint index = _regions.claim();
      if (index == H2FreedRegions::None) {
        continue;
      }
      uint done = 0;
      while (done < _portions && !_regions.is_wanted(index)) {
        Atomic::store(&_contents[index * _portions + done++], 0u);
      }
      _regions.finish(index, done == _portions && ++round % 8 != 0);
    }
  }
};

TEST_VM(H2FreedRegions, are_never_returned_while_in_use) {
  const uint count = 64;
  const uint portions = 16;
  H2FreedRegions regions(count);
  volatile uint contents[count * portions];
  bool used[count];
  memset((void*)contents, 0, sizeof(contents));
  memset(used, 0, sizeof(used));
  volatile bool ends = false;
  Semaphore post;
  const uint threads = 2;
  for (uint i = 0; i < threads; i++) {
    (new ReturningThread(&post, regions, contents, portions, ends))->doit();
  }
  uint random = 1;
  uint wrong = 0;
  uint not_zero = 0;
  for (uint stamp = 1; stamp <= 200000; stamp++) {
    random = random * 1664525 + 1013904223;
    const uint first = (random >> 8) % count;
    const uint length = MIN2((random >> 20) % 4 + 1, count - first);
    bool any_used = false;
    for (uint i = first; i < first + length; i++) {
      any_used = any_used || used[i];
    }
    if (!any_used) {
      const bool is_zero = regions.reuse(first, length) == 0;
      for (uint i = first; i < first + length; i++) {
        used[i] = true;
        for (uint j = 0; j < portions; j++) {
          not_zero += is_zero && Atomic::load(&contents[i * portions + j]) != 0 ? 1 : 0;
          Atomic::store(&contents[i * portions + j], i + 1);
        }
      }
    } else {
      for (uint i = first; i < first + length; i++) {
        if (used[i]) {
          for (uint j = 0; j < portions; j++) {
            wrong += Atomic::load(&contents[i * portions + j]) != i + 1 ? 1 : 0;
          }
          used[i] = false;
          regions.freed(i, 1);
        }
      }
    }
  }
  Atomic::store(&ends, true);
  for (uint i = 0; i < threads; i++) {
    post.wait();
  }
  ASSERT_EQ(0u, wrong);
  ASSERT_EQ(0u, not_zero) << "old contents in regions that were reported as empty";
}
