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
#include "gc/terrace/far/farRequests.hpp"
#include "unittest.hpp"

static const size_t least = FarRequests::Least;
static const size_t most = FarRequests::Most;
static const size_t gap = FarPages::MaxGap;

TEST(FarRequest, counts_small_gaps) {
  FarRequest request(32);
  ASSERT_TRUE(request.add(100));
  ASSERT_TRUE(request.add(101 + gap));           // 8 pages between
  ASSERT_EQ(gap + 2, request.count());
  ASSERT_TRUE(request.add(103 + 2 * gap));       // 9 pages between
  ASSERT_EQ(gap + 3, request.count());
}

TEST(FarRequest, is_no_larger_than_allowed) {
  FarRequest request(4);
  ASSERT_TRUE(request.add(10));
  ASSERT_TRUE(request.add(12));
  ASSERT_FALSE(request.add(14));                 // with the gap, two more pages
  ASSERT_EQ((size_t)3, request.count());
  ASSERT_TRUE(request.add(100));
  ASSERT_FALSE(request.add(200));
  ASSERT_EQ((size_t)4, request.count());
}

TEST(FarRequests, double_while_the_pages_are_there) {
  FarRequests requests;
  ASSERT_EQ(least, requests.size());
  for (size_t size = least; size < most; size *= 2) {
    ASSERT_EQ(size, requests.size());
    requests.begin(size, 0, 7);
    ASSERT_TRUE(requests.end(7 + size / 4, most));         // some faults are for other pages
  }
  ASSERT_EQ(most, requests.size());
  requests.begin(most, 0, 7);
  ASSERT_TRUE(requests.end(7, most));
  ASSERT_EQ(most, requests.size());
  ASSERT_EQ((size_t)5, requests.made);
  ASSERT_EQ(most, requests.largest);
}

TEST(FarRequests, fall_back_when_pages_are_gone_or_refused) {
  FarRequests requests;
  for (int i = 0; i < 4; i++) {
    requests.begin(requests.size(), 0, 0);
    ASSERT_TRUE(requests.end(0, most));
  }
  ASSERT_EQ(most, requests.size());
  requests.begin(most, 0, 100);
  ASSERT_TRUE(requests.end(100 + most / 2, most));
  ASSERT_EQ(most / 2, requests.size());
  ASSERT_EQ(most / 2, requests.gone);
  requests.begin(0, most / 2, 1000);
  ASSERT_TRUE(requests.end(1000, most));
  ASSERT_EQ(most / 4, requests.size());
  for (int i = 0; i < 10; i++) {
    requests.begin(requests.size(), 0, 0);
    ASSERT_TRUE(requests.end(1000000, most));
  }
  ASSERT_EQ(least, requests.size());
}

TEST(FarRequests, say_nothing_where_few_pages_were_wanted_or_nothing_is_known) {
  FarRequests requests;
  requests.begin(least / 2, 0, 0);
  ASSERT_TRUE(requests.end(0, most));
  ASSERT_EQ(least, requests.size());
  requests.begin(0, 0, 0);
  ASSERT_FALSE(requests.end(50, most));
  requests.begin(least, 0, 0);
  requests.abandon();
  ASSERT_FALSE(requests.end(50, most));
  ASSERT_EQ(least, requests.size());
  ASSERT_EQ((size_t)0, requests.gone);
}

TEST(FarRequests, of_all_workers_follow_what_is_in_memory) {
  ASSERT_EQ(most, FarRequests::most(256 * most, 1));
  ASSERT_EQ(most, FarRequests::most(1024 * most, 2));
  ASSERT_EQ(most / 2, FarRequests::most(256 * most, 2));
  ASSERT_EQ(least, FarRequests::most(256 * most, 1000));
  ASSERT_EQ(least, FarRequests::most(0, 1));
  FarRequests requests;
  for (int i = 0; i < 4; i++) {
    requests.begin(requests.size(), 0, 0);
    ASSERT_TRUE(requests.end(0, 100));
  }
  ASSERT_EQ((size_t)100, requests.size());
}
