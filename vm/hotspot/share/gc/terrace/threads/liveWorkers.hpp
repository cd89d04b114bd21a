/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_LIVEWORKERS_HPP
#define SHARE_GC_TERRACE_THREADS_LIVEWORKERS_HPP

#include "memory/allocation.hpp"
#include "memory/padded.hpp"
#include "utilities/globalDefinitions.hpp"

// The workers of a gang's task that have not offered termination: only they
// can have something to steal ("live set" of Suo et al., EuroSys '18, section
// 4.2).
//
// The set is a hint. A worker leaves it when it enters the termination protocol
// and joins it again when it returns; a thief that reads it in between steals
// from a queue that is empty, or misses one that is not; AdaptiveStealing looks
// at all queues before it gives up.
class LiveWorkers : public CHeapObj<mtGC> {
  static const uint WordBits = BitsPerWord;

  const uint _words;
  uintx*     _bits;
  DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
  volatile int _count;
  DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, sizeof(int));

  static uintx bit(uint worker)     { return (uintx)1 << (worker % WordBits); }

  NONCOPYABLE(LiveWorkers);

 public:
  LiveWorkers(uint max_workers);
  ~LiveWorkers();

  // Before a task: workers 0 to count - 1 are live. Nobody else is looking.
  void reset(uint count);

  // By the worker itself.
  void leave(uint worker);
  void join(uint worker);

  // Of any number: queues may be more than workers.
  bool contains(uint worker) const;
  // May be out of date at once, and in between of no use as a sum of bits.
  uint count() const;

  // A live worker chosen by random, other than the two given (which may be
  // the same), or limit if there is none below limit.
  uint pick(uint random, uint limit, uint except, uint except_too) const;
};

#endif // SHARE_GC_TERRACE_THREADS_LIVEWORKERS_HPP
