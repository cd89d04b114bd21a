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
#include "gc/terrace/h2/liveness/marking/h2DeepMarkingPolicy.hpp"
#include "unittest.hpp"

static const uint total = 160;

// A heap with 640 K used words, which take 5 ms to read.
static H2DeepMarkingPolicy::Heap heap(julong now = 0) {
  const H2DeepMarkingPolicy::Heap result = { 640 * K, now, NULL };
  return result;
}

static const H2DeepMarkingPolicy::Owners no_owners = { 0, 0, false, 0, 0, false };
static const H2DeepMarkingPolicy::Cause no_cause = { false, false, false, false, false, false };
static const H2DeepMarkingPolicy::Cause last_resort = { true, false, false, false, false, false };
static const H2DeepMarkingPolicy::Cause requested = { false, false, true, false, false, false };
static const H2DeepMarkingPolicy::Cause library_waits = { false, false, true, true, false, false };
static const H2DeepMarkingPolicy::Cause for_classes = { false, false, false, false, true, false };

static bool is_due(H2DeepMarkingPolicy& policy) {
  return policy.reason(no_cause, heap(), no_owners) != H2DeepMarkingPolicy::None;
}

TEST(H2DeepMarkingPolicy, rests_while_there_is_room) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    ASSERT_FALSE(is_due(policy));
    policy.marked(false, 0, total / 2, total);
  }
}

TEST(H2DeepMarkingPolicy, follows_shortage_of_room) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 5, total / 10, total);
  ASSERT_TRUE(is_due(policy));
  policy.marked(true, total / 2, total / 2, total);
  ASSERT_FALSE(is_due(policy));
}

// The prediction for the next collection must be right.
TEST(H2DeepMarkingPolicy, foresees_shortage_of_room) {
  H2DeepMarkingPolicy policy;
  int due = 0;
  for (int i = 0; i < 100; i++) {
    const bool was_due_next = policy.is_due_next();
    const bool is_deep = is_due(policy);
    ASSERT_EQ(was_due_next, is_deep) << "collection " << i;
    const uint free = i % 10 < 3 ? total / 2 : total / 10;
    const bool may_be_due_next = is_deep || policy.may_be_due_next(free, total);
    policy.marked(is_deep, 0, free, total);
    ASSERT_TRUE(may_be_due_next || !policy.is_due_next()) << "collection " << i;
    due += is_deep ? 1 : 0;
  }
  ASSERT_GT(due, 3);
}

TEST(H2DeepMarkingPolicy, follows_a_failed_transfer) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total / 2, total);
  policy.transfer_failed();
  ASSERT_TRUE(is_due(policy));
}

// Otherwise the transfer would fail first, for lack of space.
TEST(H2DeepMarkingPolicy, precedes_a_transfer_that_may_not_fit) {
  H2DeepMarkingPolicy policy;
  const uint taken = total / 5;
  policy.marked(false, 0, total / 2, total);
  ASSERT_FALSE(policy.may_be_due_next(total / 2, total));
  policy.transferred(taken, total / 4);
  ASSERT_FALSE(policy.is_due_next());
  ASSERT_TRUE(policy.may_be_due_next(total / 4, total));
  policy.marked(false, 0, total / 4, total);
  policy.transferred(taken, total / 4 - taken);
  ASSERT_TRUE(policy.is_due_next());
  ASSERT_TRUE(is_due(policy));
}

TEST(H2DeepMarkingPolicy, rests_while_regions_die_by_themselves) {
  H2DeepMarkingPolicy policy;
  const uint taken = total / 5;
  for (int i = 0; i < 10; i++) {
    policy.marked(false, taken, taken + 2, total);
    policy.transferred(taken, 2);
    ASSERT_FALSE(is_due(policy));
  }
}

// Objects that the program drops after an OutOfMemoryError are found at the next error.
TEST(H2DeepMarkingPolicy, is_a_last_resort_each_time) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    ASSERT_EQ(H2DeepMarkingPolicy::LastResort, policy.reason(last_resort, heap(), no_owners));
    policy.marked(true, 0, total, total);
    policy.ended(heap(), 5, false);
  }
}

// A marking for another reason, while there is room, says nothing of those for room.
TEST(H2DeepMarkingPolicy, waits_only_for_those_for_room) {
  H2DeepMarkingPolicy policy;
  for (int i = 0; i < 10; i++) {
    policy.marked(true, 0, total, total);
    ASSERT_FALSE(policy.has_gained());
  }
  policy.marked(false, 0, total / 10, total);
  ASSERT_TRUE(is_due(policy));
}

TEST(H2DeepMarkingPolicy, comes_less_often_while_it_gains_little) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, 0, total);
  int deep = 0;
  for (int i = 0; i < 5000; i++) {
    const bool due = is_due(policy);
    deep += due ? 1 : 0;
    policy.marked(due, 1, 0, total);
  }
  // Deep markings follow after 1, 2, 4 ... 1024 more collections, then after every 1024.
  ASSERT_EQ(13, deep);
}

TEST(H2DeepMarkingPolicy, comes_more_often_again_after_a_gain) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, 0, total);
  for (int i = 0; i < 100; i++) {
    policy.marked(is_due(policy), 0, 0, total);
  }
  while (!is_due(policy)) {
    policy.marked(false, 0, 0, total);
  }
  policy.marked(true, total / 4, 0, total);
  ASSERT_TRUE(is_due(policy));
}

TEST(H2DeepMarkingPolicy, says_why) {
  H2DeepMarkingPolicy policy;
  policy.marked(false, 0, total / 2, total);
  ASSERT_EQ(H2DeepMarkingPolicy::None, policy.reason(no_cause, heap(), no_owners));
  ASSERT_EQ(H2DeepMarkingPolicy::LastResort, policy.reason(last_resort, heap(), no_owners));
  const H2DeepMarkingPolicy::Cause too_large = { true, true, false, false, false, false };
  ASSERT_EQ(H2DeepMarkingPolicy::None, policy.reason(too_large, heap(), no_owners));
  const H2DeepMarkingPolicy::Cause forced = { false, false, false, false, false, true };
  ASSERT_EQ(H2DeepMarkingPolicy::Forced, policy.reason(forced, heap(), no_owners));
  policy.transfer_failed();
  ASSERT_EQ(H2DeepMarkingPolicy::ShortOfRoom, policy.reason(last_resort, heap(), no_owners));
}

// A policy whose last deep marking has just ended and took 5 ms.
static H2DeepMarkingPolicy ended(bool freed_owners, julong now = 1000) {
  H2DeepMarkingPolicy policy;
  policy.marked(true, 0, total, total);
  policy.ended(heap(now), 5, freed_owners);
  return policy;
}

static H2DeepMarkingPolicy::Reason just_after(H2DeepMarkingPolicy::Cause cause, size_t kept, size_t live, bool was_in_vain) {
  const H2DeepMarkingPolicy::Owners owners = { kept, live, was_in_vain, 0, 0, false };
  return ended(true).reason(cause, heap(1000), owners);
}

TEST(H2DeepMarkingPolicy, gives_back_what_owners_have) {
  // Many owners, in absolute numbers, and relative to the live ones.
  ASSERT_EQ(H2DeepMarkingPolicy::ManyOwners, just_after(no_cause, 256, 0, false));
  ASSERT_EQ(H2DeepMarkingPolicy::None, just_after(no_cause, 255, 0, false));
  ASSERT_EQ(H2DeepMarkingPolicy::ManyOwners, just_after(no_cause, 2000, 1000, false));
  ASSERT_EQ(H2DeepMarkingPolicy::None, just_after(no_cause, 1999, 1000, false));
  // Some owners, if a collection is requested.
  ASSERT_EQ(H2DeepMarkingPolicy::OwnersKept, just_after(requested, 100, 50, true));
  ASSERT_EQ(H2DeepMarkingPolicy::None, just_after(requested, 1050, 1000, true));
  ASSERT_EQ(H2DeepMarkingPolicy::None, just_after(no_cause, 100, 50, true));
}

// All owners may have been dropped, although as many are kept as were alive.
TEST(H2DeepMarkingPolicy, does_not_let_the_library_wait) {
  ASSERT_EQ(H2DeepMarkingPolicy::LibraryWaits, just_after(library_waits, 50, 50, false));
  ASSERT_EQ(H2DeepMarkingPolicy::None, just_after(library_waits, 0, 0, false));
  const H2DeepMarkingPolicy::Owners moved = { 0, 0, false, 0, 0, true };
  ASSERT_EQ(H2DeepMarkingPolicy::LibraryWaits, ended(true).reason(library_waits, heap(1000), moved));
}

// Deep markings take at most one ninth of the time if collections are requested, and one 65th
// otherwise.
TEST(H2DeepMarkingPolicy, owners_have_a_turn_after_a_time) {
  const H2DeepMarkingPolicy::Owners owners = { 1000, 1000, false, 0, 0, false };
  const H2DeepMarkingPolicy::Owners few = { 10, 10, false, 0, 0, false };
  ASSERT_EQ(H2DeepMarkingPolicy::None, ended(true).reason(requested, heap(1039), few));
  ASSERT_EQ(H2DeepMarkingPolicy::OwnersTurn, ended(true).reason(requested, heap(1040), few));
  ASSERT_EQ(H2DeepMarkingPolicy::None, ended(false).reason(requested, heap(1079), few));
  ASSERT_EQ(H2DeepMarkingPolicy::OwnersTurn, ended(false).reason(requested, heap(1080), few));
  ASSERT_EQ(H2DeepMarkingPolicy::None, ended(true).reason(no_cause, heap(1319), owners));
  ASSERT_EQ(H2DeepMarkingPolicy::OwnersTurn, ended(true).reason(no_cause, heap(1320), owners));
  ASSERT_EQ(H2DeepMarkingPolicy::None, ended(true).reason(no_cause, heap(1000000), few));
  const H2DeepMarkingPolicy::Owners loaders = { 0, 0, false, 0, 1, false };
  ASSERT_EQ(H2DeepMarkingPolicy::None, ended(true).reason(for_classes, heap(1039), loaders));
  ASSERT_EQ(H2DeepMarkingPolicy::ClassesTurn, ended(true).reason(for_classes, heap(1040), loaders));
  ASSERT_EQ(H2DeepMarkingPolicy::None, ended(true).reason(for_classes, heap(1000000), no_owners));
}

static int requests_until_deep(H2DeepMarkingPolicy& policy, const H2DeepMarkingPolicy::Owners& owners, julong now) {
  int requests = 1;
  while (policy.reason(requested, heap(now), owners) == H2DeepMarkingPolicy::None) {
    requests++;
  }
  policy.marked(true, 0, total, total);
  policy.ended(heap(now), 5, false);
  return requests;
}

// This holds however little time passes. Deep markings become less frequent while they free
// nothing.
TEST(H2DeepMarkingPolicy, owners_have_a_turn_after_some_requests) {
  H2DeepMarkingPolicy policy = ended(true);
  const H2DeepMarkingPolicy::Owners owners = { 10, 10, false, 0, 0, false };
  ASSERT_EQ(4, requests_until_deep(policy, owners, 1000));
  ASSERT_EQ(8, requests_until_deep(policy, owners, 1000));
  ASSERT_EQ(16, requests_until_deep(policy, owners, 1000));
  ASSERT_EQ(16, requests_until_deep(policy, owners, 1000));
  policy.ended(heap(1000), 5, true);
  ASSERT_EQ(4, requests_until_deep(policy, owners, 1000));
}

struct SlowReading : public H2ReadingTime {
  virtual julong millis() { return 10000; }
};

// A slow device makes the time matter, which begins with the first collection.
TEST(H2DeepMarkingPolicy, requests_do_not_suffice_for_a_long_marking) {
  const H2DeepMarkingPolicy::Owners owners = { 100, 50, true, 0, 1, false };
  H2DeepMarkingPolicy policy;
  SlowReading reading;
  H2DeepMarkingPolicy::Heap slow = { 640 * K, 1000000, &reading };
  for (int i = 0; i < 100; i++) {
    ASSERT_EQ(H2DeepMarkingPolicy::None, policy.reason(i % 2 == 0 ? requested : for_classes, slow, owners));
  }
  ASSERT_EQ(H2DeepMarkingPolicy::LibraryWaits, policy.reason(library_waits, slow, owners));
  slow.now += 8 * 10000;
  ASSERT_EQ(H2DeepMarkingPolicy::OwnersKept, policy.reason(requested, slow, owners));
}

// Most of a large H2 may be arrays without references, which a marking does not read.
TEST(H2DeepMarkingPolicy, requests_suffice_for_a_large_heap_that_was_marked_in_short_time) {
  H2DeepMarkingPolicy policy;
  const H2DeepMarkingPolicy::Owners owners = { 10, 10, false, 0, 0, false };
  const H2DeepMarkingPolicy::Heap large = { 100 * (G / HeapWordSize), 1000, NULL };
  policy.ended(large, 500, true);
  int requests = 1;
  while (policy.reason(requested, large, owners) == H2DeepMarkingPolicy::None && requests < 100) {
    requests++;
  }
  ASSERT_EQ(4, requests);
}

// A marking of a small H2 takes as long as that of H1.
TEST(H2DeepMarkingPolicy, requests_suffice_after_a_marking_of_little) {
  H2DeepMarkingPolicy policy;
  const H2DeepMarkingPolicy::Owners owners = { 10, 10, false, 0, 0, false };
  const H2DeepMarkingPolicy::Heap little = { 10 * (M / HeapWordSize), 1000, NULL };
  const H2DeepMarkingPolicy::Heap more = { 2 * (G / HeapWordSize), 1000, NULL };
  policy.ended(little, 300, true);
  int requests = 1;
  while (policy.reason(requested, more, owners) == H2DeepMarkingPolicy::None && requests < 100) {
    requests++;
  }
  ASSERT_EQ(4, requests);
}

// Weak references need both enough requests and enough time, because many programs have some.
TEST(H2DeepMarkingPolicy, weak_references_wait_longer) {
  H2DeepMarkingPolicy policy = ended(true);
  const H2DeepMarkingPolicy::Owners weakly = { 0, 0, false, 100, 0, false };
  for (int i = 0; i < 100; i++) {
    ASSERT_EQ(H2DeepMarkingPolicy::None, policy.reason(requested, heap(1039), weakly));
  }
  policy = ended(true);
  ASSERT_EQ(8, requests_until_deep(policy, weakly, 1040));
}
