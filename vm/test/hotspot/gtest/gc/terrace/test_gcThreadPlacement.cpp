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
#include "gc/terrace/threads/gcThreadPlacement.hpp"
#include "gc/terrace/threads/processors.hpp"
#include "runtime/os.hpp"
#include "unittest.hpp"

typedef GCThreadPlacement::Processor Processor;

static const int Free = GCThreadPlacement::Free;

// Processors 10, 11, 12 …
static void set_processors(GCThreadPlacement& placement, std::initializer_list<double> others) {
  Processor processors[64];
  uint n = 0;
  for (double load : others) {
    processors[n].id = 10 + (int)n;
    processors[n].others = load;
    n++;
  }
  placement.set_processors(processors, n);
}

TEST_VM(GCThreadPlacement, static_goes_around) {
  GCThreadPlacement placement(5, false, 1);
  set_processors(placement, { 1.0, 0.0, 1.0 });
  const int expected[] = { 11, 12, 10, 11, 12 };
  for (uint i = 0; i < 5; i++) {
    ASSERT_TRUE(placement.must_be_placed(i));
    ASSERT_EQ(expected[i], placement.place(i));
    ASSERT_EQ(expected[i], placement.judge(i, 0.9)) << "never moves";
    ASSERT_FALSE(placement.must_be_placed(i));
  }
}

TEST_VM(GCThreadPlacement, lost_processor_is_replaced) {
  GCThreadPlacement placement(2, true, 0);
  set_processors(placement, { 0.0, 0.0, 0.0 });
  ASSERT_EQ(10, placement.place(0));
  ASSERT_EQ(11, placement.place(1));
  const Processor left[] = { { 11, 0.0 }, { 12, 0.0 } };
  placement.set_processors(left, 2);
  ASSERT_TRUE(placement.must_be_placed(0));
  ASSERT_FALSE(placement.must_be_placed(1));
  ASSERT_EQ(12, placement.place(0));
}

TEST_VM(GCThreadPlacement, static_follows_what_may_be_used) {
  GCThreadPlacement placement(2, false, 0);
  set_processors(placement, { 0.0, 0.0 });
  ASSERT_EQ(10, placement.place(0));
  ASSERT_EQ(11, placement.place(1));
  const Processor one[] = { { 11, 0.0 } };
  placement.set_processors(one, 1);
  ASSERT_TRUE(placement.must_be_placed(0));
  ASSERT_FALSE(placement.must_be_placed(1));
  ASSERT_EQ(11, placement.place(0));
  set_processors(placement, { 0.0, 0.0 });
  ASSERT_TRUE(placement.must_be_placed(0)) << "both are on one";
  ASSERT_EQ(10, placement.place(0));
  ASSERT_FALSE(placement.must_be_placed(1));
}

TEST_VM(GCThreadPlacement, dynamic_frees_all_when_threads_outnumber_processors) {
  GCThreadPlacement placement(2, true, 0);
  set_processors(placement, { 0.0, 0.0 });
  ASSERT_EQ(10, placement.place(0));
  const Processor one[] = { { 10, 0.0 } };
  placement.set_processors(one, 1);
  ASSERT_TRUE(placement.must_be_placed(0));
  ASSERT_EQ(Free, placement.place(0));
  ASSERT_FALSE(placement.must_be_placed(0));
}

TEST_VM(GCThreadPlacement, contended_thread_moves_to_an_idle_processor_without_gc_thread) {
  GCThreadPlacement placement(2, true, 0);
  set_processors(placement, { 1.0, 0.0, 0.9, 0.1, 0.0 });
  ASSERT_EQ(10, placement.place(0));
  ASSERT_EQ(11, placement.place(1));
  ASSERT_EQ(10, placement.judge(0, 0.19)) << "not contended";
  const int found = placement.judge(0, 0.5);
  ASSERT_TRUE(found == 13 || found == 14) << found;
  ASSERT_EQ(11, placement.judge(1, 0.0));
}

TEST_VM(GCThreadPlacement, targets_are_picked_at_random) {
  bool seen[3] = {};
  for (uint offset = 0; offset < 300; offset += 3) {
    GCThreadPlacement placement(1, true, offset);
    set_processors(placement, { 1.0, 0.0, 0.0 });
    ASSERT_EQ(10, placement.place(0));
    const int found = placement.judge(0, 0.5);
    ASSERT_TRUE(found == 11 || found == 12) << found;
    seen[found - 10] = true;
  }
  ASSERT_TRUE(seen[1] && seen[2]);
}

TEST_VM(GCThreadPlacement, without_a_better_processor_a_thread_is_free_until_undisturbed) {
  GCThreadPlacement placement(2, true, 0);
  set_processors(placement, { 0.5, 0.5 });
  placement.place(0);
  placement.place(1);
  ASSERT_EQ(Free, placement.judge(0, 0.4));
  ASSERT_EQ(Free, placement.judge(0, 0.0));
  ASSERT_EQ(Free, placement.judge(0, 0.1)) << "disturbed: counts anew";
  ASSERT_EQ(Free, placement.judge(0, 0.0));
  ASSERT_EQ(Free, placement.judge(0, 0.0)) << "no idle processor";
  set_processors(placement, { 0.0, 0.0 });
  ASSERT_EQ(10, placement.judge(0, 0.0)) << "11 has the other thread";
}

TEST_VM(GCThreadPlacement, patience_grows_with_each_failure) {
  GCThreadPlacement placement(1, true, 0);
  set_processors(placement, { 0.0, 0.0 });
  placement.place(0);
  uint last = 0;
  for (uint round = 0; round < 10; round++) {
    set_processors(placement, { 1.0, 1.0 });
    ASSERT_EQ(Free, placement.judge(0, 0.5));
    set_processors(placement, { 0.0, 0.0 });
    uint looks = 1;
    while (placement.judge(0, 0.0) == Free) {
      looks++;
      ASSERT_LE(looks, 64u);
    }
    ASSERT_GE(looks, last);
    last = looks;
  }
  ASSERT_EQ(64u, last);
}

TEST_VM(GCThreadPlacement, more_threads_than_processors_stay_free) {
  GCThreadPlacement placement(3, true, 0);
  set_processors(placement, { 0.0, 0.0 });
  for (uint i = 0; i < 3; i++) {
    ASSERT_EQ(Free, placement.place(i));
    for (uint look = 0; look < 100; look++) {
      ASSERT_EQ(Free, placement.judge(i, 0.0));
    }
  }
}

TEST_VM(GCThreadPlacement, refused_processor_frees_the_thread) {
  for (bool is_dynamic : { false, true }) {
    GCThreadPlacement placement(1, is_dynamic, 0);
    set_processors(placement, { 0.0, 0.0 });
    placement.place(0);
    placement.set_free(0);
    ASSERT_EQ(Free, placement.processor(0));
    ASSERT_EQ(!is_dynamic, placement.must_be_placed(0));
  }
}

TEST(ProcessorSet, contains_what_was_added) {
  ProcessorSet set;
  const uint ids[] = { 0, 63, 64, 1023, 1024, ProcessorSet::Max - 1 };
  for (uint id : ids) {
    ASSERT_FALSE(set.contains(id));
    set.add(id);
    ASSERT_TRUE(set.contains(id));
  }
  ASSERT_EQ(6u, set.count());
  set.add(ProcessorSet::Max);
  ASSERT_FALSE(set.contains(ProcessorSet::Max));
  ASSERT_EQ(6u, set.count());
}

static void* bind_to_each(void* result) {
  ProcessorSet allowed;
  bool bound = Processors::allowed(0, allowed) && allowed.count() > 0;
  for (uint id = 0; id < ProcessorSet::Max && bound; id++) {
    if (allowed.contains(id)) {
      ProcessorSet now;
      bound = os::bind_to_processor(id) && Processors::current() == (int)id
        && Processors::allowed(0, now) && now.count() == 1 && now.contains(id);
      Processors::restrict(0, allowed);
    }
  }
  bound = bound && !os::bind_to_processor(ProcessorSet::Max - 1) && !os::bind_to_processor(ProcessorSet::Max);
  *(bool*)result = bound;
  return NULL;
}

TEST_VM(Processors, a_thread_is_bound_to_each_it_may_use) {
  bool bound = false;
  pthread_t thread;
  ASSERT_EQ(0, pthread_create(&thread, NULL, bind_to_each, &bound));
  pthread_join(thread, NULL);
  ASSERT_TRUE(bound);
}

TEST_VM(Processors, busy_loop_is_seen) {
  jlong* const before = NEW_C_HEAP_ARRAY(jlong, ProcessorSet::Max, mtGC);
  jlong* const after = NEW_C_HEAP_ARRAY(jlong, ProcessorSet::Max, mtGC);
  ASSERT_TRUE(Processors::busy_times(before, ProcessorSet::Max));
  const jlong process_before = Processors::process_time();
  const jlong begin = os::javaTimeNanos();
  while (Processors::process_time() - process_before < 200 * NANOSECS_PER_MILLISEC
         && os::javaTimeNanos() - begin < 60 * NANOSECS_PER_SEC) {}
  ASSERT_TRUE(Processors::busy_times(after, ProcessorSet::Max));
  jlong sum = 0;
  for (uint id = 0; id < ProcessorSet::Max; id++) {
    sum += after[id] - before[id];
  }
  ASSERT_GE(sum, 100 * NANOSECS_PER_MILLISEC);
  FREE_C_HEAP_ARRAY(jlong, before);
  FREE_C_HEAP_ARRAY(jlong, after);
}

TEST_VM(Processors, running_time_of_a_thread_is_told) {
  jlong run = 0, wait = 0, later_run = 0, later_wait = 0;
  ASSERT_TRUE(Processors::run_and_wait(0, run, wait));
  const jlong begin = os::javaTimeNanos();
  do {
    ASSERT_TRUE(Processors::run_and_wait((int)os::current_thread_id(), later_run, later_wait));
  } while (later_run - run < 20 * NANOSECS_PER_MILLISEC && os::javaTimeNanos() - begin < 60 * NANOSECS_PER_SEC);
  ASSERT_GE(later_run - run, 20 * NANOSECS_PER_MILLISEC);
  ASSERT_GE(later_wait, wait);
}
