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

// The set of workers of a gang's task that have not offered termination. Only their queues can contain work to
// steal ("live set" of Suo et al., EuroSys '18, section 4.2).
//
// The set is a hint. A worker leaves it when it enters the termination protocol, and joins it again when it
// returns. A thief that reads the set in between may try an empty queue, or miss a non-empty one. So
// AdaptiveStealing reads all queues before it gives up.
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

  // Called before a task, without concurrent access. Workers 0 to count - 1 become live.
  void reset(uint count);

  // Called by the worker itself.
  void leave(uint worker);
  void join(uint worker);

  // Accepts any number, because there may be more queues than workers.
  bool contains(uint worker) const;
  // The value may be out of date, and may differ from the number of bits for a moment.
  uint count() const;

  // Returns a random live worker other than the two given ones (which may be the same), or limit if there is none
  // below limit.
  uint pick(uint random, uint limit, uint except, uint except_too) const;
};

#endif // SHARE_GC_TERRACE_THREADS_LIVEWORKERS_HPP
