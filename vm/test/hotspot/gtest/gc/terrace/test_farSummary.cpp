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
#include "unittest.hpp"

static ClassLoaderData* loader(size_t i) {
  return (ClassLoaderData*)(0x7f0000000000 + i * 0x1000);
}

TEST_VM(FarSummary, reads_what_was_written) {
  FarPageSummary page;
  page.reset(1000);
  page.add_object(5);
  page.add_object(300);
  page.add_loader(loader(1));
  page.add_loader(loader(0));
  page.add_loader(loader(1));
  // Backward and forward, slots as well: fields are not visited in the order of addresses.
  const size_t targets[] = { 0, 1001, 999, (size_t)1 << 40, 1000 };
  const size_t slots[] = { 3, 1, 1024, 1025, 0 };
  for (int i = 0; i < 5; i++) {
    page.add_reference(slots[i], targets[i]);
  }
  FarRegionSummaries summaries(4, 1);
  size_t size;
  ASSERT_TRUE(summaries.add(2, page, SIZE_MAX, size));
  summaries.complete();
  ASSERT_FALSE(summaries.has(1));
  ASSERT_TRUE(summaries.has(2));
  ASSERT_FALSE(summaries.crosses(2));

  FarSummaryReader reader(summaries.bytes(2), 1000);
  ASSERT_EQ((size_t)2, reader.objects());
  ASSERT_EQ((size_t)305, reader.words());
  ASSERT_EQ((size_t)5, reader.references());
  ASSERT_EQ(loader(1), reader.next_loader());
  ASSERT_EQ(loader(0), reader.next_loader());
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  size_t slot;
  size_t target;
  for (int i = 0; i < 5; i++) {
    ASSERT_TRUE(reader.next_reference(slot, target));
    ASSERT_EQ(slots[i], slot);
    ASSERT_EQ(targets[i], target);
  }
  ASSERT_FALSE(reader.next_reference(slot, target));
  ASSERT_EQ(summaries.bytes(2) + size, reader.end());
}

TEST_VM(FarSummary, a_page_without_references_takes_few_bytes) {
  FarPageSummary page;
  page.reset(12345);
  page.add_object(100);
  FarRegionSummaries summaries(1, 1);
  size_t size;
  ASSERT_TRUE(summaries.add(0, page, 4, size));
  ASSERT_EQ((size_t)4, size);
}

TEST_VM(FarSummary, what_is_too_large_leaves_nothing) {
  FarPageSummary large;
  large.reset(0);
  for (size_t i = 0; i < 100; i++) {
    large.add_reference(i, i * 1000);
  }
  FarPageSummary small;
  small.reset(512);
  small.add_object(7);
  FarRegionSummaries summaries(2, 1);
  size_t size;
  ASSERT_FALSE(summaries.add(0, large, 100, size));
  ASSERT_GT(size, (size_t)100);
  ASSERT_TRUE(summaries.add(1, small, 100, size));
  summaries.complete();
  ASSERT_FALSE(summaries.has(0));
  ASSERT_EQ((size_t)7, FarSummaryReader(summaries.bytes(1), 512).words());
}

TEST_VM(FarSummary, a_written_page_takes_the_summary_along_that_reaches_it) {
  FarPageSummary page;
  FarRegionSummaries summaries(6, 1);
  size_t size;
  for (size_t i = 0; i < 6; i++) {
    page.reset(i * 512);
    page.add_object(i);
    if (i == 1 || i == 2) {
      page.set_crosses();
    }
    summaries.add(i, page, SIZE_MAX, size);
  }
  summaries.complete();
  summaries.drop_written(3);
  ASSERT_FALSE(summaries.has(3));
  ASSERT_FALSE(summaries.has(2));
  ASSERT_TRUE(summaries.has(1));       // ends on page 2, which was not written
  summaries.drop_written(0);
  summaries.drop_written(5);
  ASSERT_TRUE(summaries.has(4));
}

TEST_VM(FarSummary, is_kept_in_the_next_table) {
  FarPageSummary page;
  page.reset(1000);
  page.add_object(9);
  page.add_reference(1, 77);
  page.set_crosses();
  FarRegionSummaries before(2, 1);
  size_t size;
  before.add(1, page, SIZE_MAX, size);
  before.complete();
  FarRegionSummaries after(2, 2);
  ASSERT_FALSE(after.copy(1, before.bytes(1), before.bytes(1) + size, true, size - 1));
  ASSERT_TRUE(after.copy(1, before.bytes(1), before.bytes(1) + size, true, size));
  after.complete();
  ASSERT_TRUE(after.crosses(1));
  FarSummaryReader reader(after.bytes(1), 1000);
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  size_t slot;
  size_t target;
  ASSERT_TRUE(reader.next_reference(slot, target));
  ASSERT_EQ((size_t)77, target);
}
