/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2REGIONQUEUE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2REGIONQUEUE_HPP

#include "memory/allocation.inline.hpp"
#include "memory/padded.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/powerOfTwo.hpp"
#include "utilities/spinYield.hpp"

// A queue of region indices for any number of workers. It is first in, first out, because a region
// that waits longer collects more work to be done at once. Each region is in the queue at most
// once, so it never overflows.
//
// Each put or take has a number, which determines a place and a turn at this place. It only waits
// if another worker with the previous turn at this place was interrupted while all regions passed
// through the queue.
class H2RegionQueue : public CHeapObj<mtGC> {
  static const uint MinPlaces = 64;

  struct Place {
    volatile uint turn;                 // even if the next operation is a put, odd if it is a take
    uint          index;
  };

  const int         _log_places;
  Place* const      _places;
  DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
  volatile uint64_t _taken;
  DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, sizeof(uint64_t));
  volatile uint64_t _put;
  DEFINE_PAD_MINUS_SIZE(2, DEFAULT_CACHE_LINE_SIZE, sizeof(uint64_t));

  NONCOPYABLE(H2RegionQueue);

  size_t place_count() const   { return (size_t)1 << _log_places; }
  Place* place_of(uint64_t number) const { return &_places[number & (place_count() - 1)]; }

  void await(const Place* place, uint turn) const {
    SpinYield spin;
    while (Atomic::load_acquire(&place->turn) != turn) {
      spin.wait();
    }
  }

 public:
  // For indices below limit.
  H2RegionQueue(uint limit) :
    _log_places(log2i_exact(round_up_power_of_2(MAX2(limit, MinPlaces))) + 1),
    _places(NEW_C_HEAP_ARRAY(Place, place_count(), mtGC)), _taken(0), _put(0) {
    memset((void*)_places, 0, place_count() * sizeof(Place));
  }
  ~H2RegionQueue()             { FREE_C_HEAP_ARRAY(Place, _places); }

  // The number of regions in the queue or about to be put.
  uint length() const {
    const uint64_t taken = Atomic::load_acquire(&_taken);
    return (uint)(Atomic::load(&_put) - taken);
  }

  void put(uint index) {
    const uint64_t number = Atomic::fetch_and_add(&_put, (uint64_t)1);
    Place* const place = place_of(number);
    const uint turn = (uint)(number >> _log_places) * 2;
    await(place, turn);
    place->index = index;
    Atomic::release_store(&place->turn, turn + 1);
  }

  // Returns false if the queue is empty.
  bool take(uint& index) {
    uint64_t number = Atomic::load_acquire(&_taken);
    while (number != Atomic::load(&_put)) {
      const uint64_t found = Atomic::cmpxchg(&_taken, number, number + 1);
      if (found == number) {
        Place* const place = place_of(number);
        const uint turn = (uint)(number >> _log_places) * 2 + 1;
        await(place, turn);
        index = place->index;
        Atomic::release_store(&place->turn, turn + 1);
        return true;
      }
      number = found;
    }
    return false;
  }
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2REGIONQUEUE_HPP
