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
#include "gc/terrace/h2/space/h2RegionQueue.hpp"
#include "threadHelper.inline.hpp"
#include "unittest.hpp"

TEST_VM(H2RegionQueue, is_first_in_first_out) {
  H2RegionQueue queue(5);
  uint index;
  ASSERT_FALSE(queue.take(index));
  for (uint round = 0; round < 100; round++) {
    for (uint i = 0; i < 5; i++) {
      queue.put((i * 3 + round) % 5);
      ASSERT_EQ(i + 1, queue.length());
    }
    for (uint i = 0; i < 5; i++) {
      ASSERT_TRUE(queue.take(index));
      ASSERT_EQ((i * 3 + round) % 5, index);
    }
    ASSERT_EQ(0u, queue.length());
    ASSERT_FALSE(queue.take(index));
  }
}

// Takes regions and puts them back, like a marking that reaches more objects in them.
class TakingThread : public JavaTestThread {
  H2RegionQueue&  _queue;
  volatile int*   _owned;
  volatile int&   _errors;
  const int       _turns;

 public:
  TakingThread(Semaphore* post, H2RegionQueue& queue, volatile int* owned, volatile int& errors, int turns) :
    JavaTestThread(post), _queue(queue), _owned(owned), _errors(errors), _turns(turns) {}

  virtual void main_run() {
    for (int i = 0; i < _turns; i++) {
      uint index;
      if (!_queue.take(index)) {
        continue;
      }
      if (Atomic::cmpxchg(&_owned[index], 0, 1) != 0) {
        Atomic::inc(&_errors);
      }
      Atomic::store(&_owned[index], 0);
      _queue.put(index);
    }
  }
};

TEST_VM(H2RegionQueue, gives_a_region_to_one_worker) {
  static const uint Count = 7;
  static const int  Threads = 4;
  H2RegionQueue queue(Count);
  volatile int owned[Count] = {};
  volatile int errors = 0;
  for (uint i = 0; i < Count; i++) {
    queue.put(i);
  }
  Semaphore done(0);
  for (int i = 0; i < Threads; i++) {
    (new TakingThread(&done, queue, owned, errors, 100000))->doit();
  }
  for (int i = 0; i < Threads; i++) {
    done.wait();
  }
  ASSERT_EQ(0, errors);
  bool found[Count] = {};
  uint index;
  while (queue.take(index)) {
    ASSERT_FALSE(found[index]);
    found[index] = true;
  }
  for (uint i = 0; i < Count; i++) {
    ASSERT_TRUE(found[i]) << i;
  }
}
