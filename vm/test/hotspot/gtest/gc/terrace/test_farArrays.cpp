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
#include "gc/terrace/far/farSummary.hpp"
#include "gc/terrace/far/g1/farArrays.hpp"
#include "unittest.hpp"

TEST(FarArrays, pages_are_scanned_in_runs_or_left_out) {
  // Every set of eight pages.
  for (size_t set = 0; set < 256; set++) {
    size_t scanned = 0;
    size_t left_out = 0;
    size_t last_end = 0;
    FarArrays::divide(10, 18, [=](size_t page) { return (set >> (page - 10) & 1) != 0; },
                      [&](size_t page) { left_out |= (size_t)1 << (page - 10); },
                      [&](size_t from, size_t to) {
                        ASSERT_LT(from, to);
                        ASSERT_TRUE(last_end == 0 || from > last_end) << "two runs touch in set " << set;
                        for (size_t page = from; page < to; page++) {
                          scanned |= (size_t)1 << (page - 10);
                        }
                        last_end = to;
                      });
    ASSERT_EQ(set, left_out);
    ASSERT_EQ(~set & 255, scanned);
  }
}

TEST_VM(FarArrays, a_page_without_objects_has_a_summary) {
  FarPageSummary page;
  page.reset(5000);
  page.add_reference(0, 77);
  page.add_reference(1023, 99);
  FarRegionSummaries summaries(2, 1);
  size_t size;
  ASSERT_TRUE(summaries.add(1, page, SIZE_MAX, size));
  summaries.complete();
  ASSERT_FALSE(summaries.crosses(1));
  FarSummaryReader reader(summaries.bytes(1), 5000);
  ASSERT_EQ((size_t)0, reader.objects());
  ASSERT_EQ((size_t)0, reader.words());
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  size_t slot;
  size_t target;
  ASSERT_TRUE(reader.next_reference(slot, target));
  ASSERT_EQ((size_t)77, target);
  ASSERT_TRUE(reader.next_reference(slot, target));
  ASSERT_EQ((size_t)1023, slot);
  ASSERT_FALSE(reader.next_reference(slot, target));
}
