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
#include "memory/resourceArea.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"
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

TEST_VM(FarSummary, starts_come_between_loaders_and_references) {
  const size_t starts[] = { 1000, 1002, 1300 };
  FarPageSummary page;
  for (int run = 0; run < 2; run++) {
    page.reset(1000);
    page.add_loader(loader(1));
    for (int i = 0; i < 3; i++) {
      page.add_object(2);
      page.add_start(starts[i]);
    }
    page.add_reference(3, 999);
  }
  FarRegionSummaries summaries(1, 1);
  size_t size;
  ASSERT_TRUE(summaries.add(0, page, SIZE_MAX, size));
  summaries.complete();
  FarSummaryReader reader(summaries.bytes(0), 1000);
  ASSERT_EQ((size_t)3, reader.objects());
  ASSERT_EQ(loader(1), reader.next_loader());
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  size_t start;
  for (int i = 0; i < 3; i++) {
    ASSERT_TRUE(reader.next_start(start));
    ASSERT_EQ(starts[i], start);
  }
  ASSERT_FALSE(reader.next_start(start));
  size_t slot;
  size_t target;
  ASSERT_TRUE(reader.next_reference(slot, target));
  ASSERT_EQ((size_t)3, slot);
  ASSERT_EQ((size_t)999, target);
  ASSERT_FALSE(reader.next_reference(slot, target));
  ASSERT_FALSE(reader.begin_referents());
  ASSERT_EQ(summaries.bytes(0) + size, reader.end());
}

static void expect_references(FarSummaryReader& reader, const size_t (*expected)[2], int count) {
  size_t slot;
  size_t target;
  for (int i = 0; i < count; i++) {
    ASSERT_TRUE(reader.next_reference(slot, target));
    ASSERT_EQ(expected[i][0], slot);
    ASSERT_EQ(expected[i][1], target);
  }
  ASSERT_FALSE(reader.next_reference(slot, target));
}

TEST_VM(FarSummary, referents_are_apart_from_other_references) {
  const size_t references[][2] = { { 4, 70 }, { 5, 2000 }, { 12, 70 } };
  const size_t referents[][2] = { { 3, 1500 }, { 11, 900 } };
  FarPageSummary page;
  page.reset(1000);
  page.add_object(5);
  page.add_loader(loader(1));
  for (int i = 0; i < 3; i++) {
    page.add_reference(references[i][0], references[i][1]);
    if (i < 2) {
      page.add_referent(referents[i][0], referents[i][1]);
    }
  }
  FarRegionSummaries summaries(1, 1);
  size_t size;
  ASSERT_TRUE(summaries.add(0, page, SIZE_MAX, size));
  summaries.complete();
  FarSummaryReader reader(summaries.bytes(0), 1000);
  ASSERT_EQ((size_t)3, reader.references());
  ASSERT_EQ(loader(1), reader.next_loader());
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  expect_references(reader, references, 3);
  ASSERT_TRUE(reader.begin_referents());
  expect_references(reader, referents, 2);
  ASSERT_FALSE(reader.begin_referents());
  ASSERT_EQ(summaries.bytes(0) + size, reader.end());

  page.reset(1000);                    // no referents
  page.add_object(5);
  FarRegionSummaries others(1, 1);
  ASSERT_TRUE(others.add(0, page, SIZE_MAX, size));
  others.complete();
  FarSummaryReader other(others.bytes(0), 1000);
  ASSERT_EQ((ClassLoaderData*)NULL, other.next_loader());
  expect_references(other, references, 0);
  ASSERT_FALSE(other.begin_referents());
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

// Targets in units of 8 bytes, pages of 512 units, regions of 256 pages.
class TestTargets : public FarTargets {
  const size_t _new_from;              // targets from here on are not marked

 public:
  TestTargets(size_t new_from) : FarTargets(128, 9, 17), _new_from(new_from) {}
  virtual bool is_marked(size_t target) const { return target < _new_from; }
};

static const size_t most_pages = 1 << 16;

// The content of a summary, for comparison. It has single targets, pages of targets, and for each region
// the parts that refer to it.
struct Described {
  ResourceBitMap pages;
  size_t         parts[most_pages / 256];
  GrowableArray<size_t> targets;

  Described() : pages(most_pages), targets(16) { memset(parts, 0, sizeof(parts)); }

  void add(size_t slot, size_t target, const TestTargets& known) {
    if (known.is_marked(target)) {
      pages.set_bit(target >> 9);
      parts[target >> 17] |= (size_t)1 << slot / 128;
    } else {
      targets.append(target);
    }
  }

  void read(const u1* bytes, size_t first_target, const u1* end) {
    FarSummaryReader reader(bytes, first_target);
    while (reader.next_loader() != NULL) {
    }
    size_t slot;
    size_t target;
    while (reader.next_reference(slot, target)) {
      targets.append(target);
    }
    size_t first;
    size_t count;
    size_t these;
    size_t next = 0;
    while (reader.next_pages(first, count, these)) {
      ASSERT_GE(first, next) << "runs are in address order";
      ASSERT_EQ(first >> 8, (first + count - 1) >> 8) << "a run lies in one region";
      pages.set_range(first, first + count);
      parts[first >> 8] |= these;
      next = first + count;
    }
    ASSERT_FALSE(reader.next_pages(first, count, these));
    ASSERT_EQ(end, reader.end());
  }

  void expect(const Described& other) const {
    ASSERT_TRUE(pages.is_same(other.pages));
    ASSERT_EQ(0, memcmp(parts, other.parts, sizeof(parts)));
    ASSERT_EQ(targets.length(), other.targets.length());
    for (int i = 0; i < targets.length(); i++) {
      ASSERT_EQ(targets.at(i), other.targets.at(i));
    }
  }
};

TEST_VM(FarSummary, an_array_of_references_to_neighbours_takes_few_bytes) {
  ResourceMark rm;
  FarPageSummary page;
  page.reset(5000);
  page.add_object(502);
  // In the order of Cold.java's arrays: every target is far away from the one before.
  for (size_t i = 0; i < 1000; i++) {
    page.add_reference(4 + i, 100000 + i * 31 % 4096 * 30);
  }
  FarRegionSummaries summaries(1, 1);
  size_t size;
  bool is_by_page;
  ASSERT_TRUE(summaries.add(0, page, TestTargets(SIZE_MAX), 128, 2048, size, is_by_page));
  ASSERT_TRUE(is_by_page);
  ASSERT_LE(size, (size_t)24);
  // With a larger limit, the targets are written one by one.
  FarRegionSummaries exact(1, 1);
  ASSERT_TRUE(exact.add(0, page, TestTargets(SIZE_MAX), 4096, 4096, size, is_by_page));
  ASSERT_FALSE(is_by_page);
  ASSERT_GT(size, (size_t)2048);
}

TEST_VM(FarSummary, pages_of_targets_are_read_as_written) {
  for (int seed = 1; seed <= 200; seed++) {
    ResourceMark rm;
    os::init_random(seed);
    const size_t count = 1 + (size_t)os::random() % 1024;
    const size_t spread = (size_t)1 << (os::random() % 25);
    const size_t base = (size_t)os::random() % (most_pages * 512 - spread);
    // In a third of the rounds, some targets are not marked.
    const TestTargets known(seed % 3 == 0 ? base + spread / 2 : SIZE_MAX);
    FarPageSummary page;
    page.reset(base);
    page.add_object(512);
    page.add_loader(loader(3));
    Described expected;
    for (size_t i = 0; i < count; i++) {
      const size_t target = base + (size_t)os::random() % spread;
      const size_t slot = (size_t)os::random() % 2048;
      page.add_reference(slot, target);
      expected.add(slot, target, known);
    }
    FarRegionSummaries summaries(1, 1);
    size_t size;
    bool is_by_page;
    ASSERT_TRUE(summaries.add(0, page, known, 0, SIZE_MAX, size, is_by_page)) << "seed " << seed;
    summaries.complete();
    ASSERT_EQ((size_t)1, FarSummaryReader(summaries.bytes(0), base).objects());
    if (is_by_page) {
      Described found;
      found.read(summaries.bytes(0), base, summaries.bytes(0) + size);
      found.expect(expected);
    } else {
      // A page of targets did not take less space.
      ASSERT_EQ(count, FarSummaryReader(summaries.bytes(0), base).references());
    }
    // The limit is exact.
    FarRegionSummaries small(1, 1);
    size_t again;
    ASSERT_FALSE(small.add(0, page, known, 0, size - 1, again, is_by_page)) << "seed " << seed;
    FarRegionSummaries fits(1, 1);
    ASSERT_TRUE(fits.add(0, page, known, 0, size, again, is_by_page)) << "seed " << seed;
    ASSERT_EQ(size, again);
  }
}

TEST_VM(FarSummary, pages_of_referents_are_apart_from_other_pages) {
  ResourceMark rm;
  FarPageSummary page;
  page.reset(5000);
  page.add_object(128);
  // As of a cache of WeakReferences. Their queue is the same object. The last referent is new.
  const size_t queue = (size_t)3 << 17;
  const TestTargets known((size_t)1 << 20);
  for (size_t i = 0; i < 128; i++) {
    page.add_reference(i * 8 + 4, queue);
    page.add_referent(i * 8 + 3, i < 127 ? 100000 + i * 31 % 4096 * 30 : (size_t)1 << 20);
  }
  FarRegionSummaries summaries(1, 1);
  size_t size;
  bool is_by_page;
  ASSERT_TRUE(summaries.add(0, page, known, 0, 2048, size, is_by_page));
  ASSERT_TRUE(is_by_page);
  ASSERT_LE(size, (size_t)300);
  summaries.complete();
  FarSummaryReader reader(summaries.bytes(0), 5000);
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  size_t slot;
  size_t target;
  ASSERT_FALSE(reader.next_reference(slot, target));
  size_t first;
  size_t count;
  size_t parts;
  ASSERT_TRUE(reader.next_pages(first, count, parts));
  ASSERT_EQ(queue >> 9, first);
  ASSERT_EQ((size_t)1, count);
  ASSERT_EQ((size_t)0xff, parts);
  ASSERT_FALSE(reader.next_pages(first, count, parts));
  ASSERT_TRUE(reader.begin_referents());
  ASSERT_TRUE(reader.next_reference(slot, target));
  ASSERT_EQ((size_t)127 * 8 + 3, slot);
  ASSERT_EQ((size_t)1 << 20, target);
  ASSERT_FALSE(reader.next_reference(slot, target));
  size_t pages = 0;
  while (reader.next_pages(first, count, parts)) {
    ASSERT_GE(first, (size_t)100000 >> 9);
    pages += count;
  }
  ASSERT_GT(pages, (size_t)4);
  ASSERT_FALSE(reader.begin_referents());
  ASSERT_EQ(summaries.bytes(0) + size, reader.end());
}

TEST_VM(FarSummary, targets_beside_a_referent_are_written_one_by_one) {
  ResourceMark rm;
  FarPageSummary page;
  page.reset(5000);
  page.add_object(128);
  // Of 128 pages, each fourth has a referent. Its page must not stand for the other targets there.
  const size_t base = 200 << 9;
  for (size_t i = 0; i < 512; i++) {
    page.add_reference(i * 2, base + (i * 31 % 128 << 9) + i % 4 * 8);
  }
  for (size_t i = 0; i < 128; i += 4) {
    page.add_referent(i * 8 + 3, base + (i << 9) + 500);
  }
  ASSERT_FALSE(page.keeps_referent());
  FarRegionSummaries summaries(1, 1);
  size_t size;
  bool is_by_page;
  ASSERT_TRUE(summaries.add(0, page, TestTargets(SIZE_MAX), 0, SIZE_MAX, size, is_by_page));
  ASSERT_TRUE(is_by_page);
  summaries.complete();
  FarSummaryReader reader(summaries.bytes(0), 5000);
  ASSERT_EQ((ClassLoaderData*)NULL, reader.next_loader());
  ASSERT_EQ((size_t)128, reader.references());
  size_t slot;
  size_t target;
  while (reader.next_reference(slot, target)) {
    ASSERT_EQ((size_t)0, ((target - base) >> 9) % 4);
  }
  size_t first;
  size_t count;
  size_t parts;
  size_t pages = 0;
  while (reader.next_pages(first, count, parts)) {
    for (size_t i = 0; i < count; i++) {
      ASSERT_NE((size_t)0, (first + i - 200) % 4);
    }
    pages += count;
  }
  ASSERT_EQ((size_t)96, pages);
  ASSERT_TRUE(reader.begin_referents());
}

TEST_VM(FarSummary, knows_if_another_object_refers_to_a_referent) {
  FarPageSummary page;
  page.reset(5000);
  page.add_reference(1, 700);
  ASSERT_FALSE(page.keeps_referent());
  for (size_t i = 0; i < 5; i++) {
    page.add_referent(10 + i, 900 - i);
    page.add_reference(20 + i, 901 + i);
  }
  ASSERT_FALSE(page.keeps_referent());
  page.add_reference(30, 897);
  ASSERT_TRUE(page.keeps_referent());
  page.reset(5000);
  ASSERT_FALSE(page.keeps_referent());
}

TEST_VM(FarSummary, targets_that_all_lie_in_other_regions_are_the_worst_case) {
  ResourceMark rm;
  FarPageSummary page;
  page.reset(0);
  page.add_object(512);
  Described expected;
  const TestTargets known(SIZE_MAX);
  for (size_t i = 0; i < most_pages / 256; i++) {
    page.add_reference(1024 + i, (i << 17) + 131071);
    expected.add(1024 + i, (i << 17) + 131071, known);
  }
  GrowableArrayCHeap<u1, mtGC> bytes;
  page.write_by_page(bytes, known);
  // A set of parts of two bytes, a count and a run of two bytes for each region.
  ASSERT_LE((size_t)bytes.length(), 10 + most_pages / 256 * 5);
  Described found;
  found.read(bytes.adr_at(0), 0, bytes.adr_at(0) + bytes.length());
  found.expect(expected);
  // One by one, they take less space.
  FarRegionSummaries summaries(1, 1);
  size_t size;
  bool is_by_page;
  ASSERT_TRUE(summaries.add(0, page, known, 0, SIZE_MAX, size, is_by_page));
  ASSERT_FALSE(is_by_page);
  ASSERT_LT(size, (size_t)bytes.length());
}
