/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2TRANSFER_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2TRANSFER_HPP

#include "gc/terrace/h2/liveness/h2TransferBudget.hpp"
#include "gc/terrace/h2/transfer/h2Frequency.hpp"
#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// Moves the scheduled objects and their closures from H1 to H2. It runs between marking and the
// summary phase of a major collection (TeraHeap, section 3.3):
//
//   select  finds the closure of each root, and records it in H2Forwarding
//   assign  assigns addresses, group by group in address order, and opens regions
//   copy    writes to the device, with forwarded references inside H2. Until the end of this phase, H1 is
//           intact, so after a failure the transfer is simply abandoned
//   commit  removes the marks of the moved objects in H1
//
// References to H1 in the copies are old addresses until H2Cards::adjust.
class H2Transfer : public CHeapObj<mtGC> {
  static H2Transfer* _of_h2;

  const char*      _last_error;
  bool             _failed_before;
  volatile bool    _has_rest;
  volatile uint    _tries;
  H2TransferBudget _budget;
  H2Frequency      _frequency;

  // The state of the current collection.
  struct Collection : public CHeapObj<mtGC> {
    const bool  is_last_resort;
    const jlong start;
    const jlong deep_markings;          // before it
    jlong       nanos;                  // of the transfer

    Collection(bool is_last_resort);
  };
  Collection*      _collection;      // NULL between collections

  NONCOPYABLE(H2Transfer);

  H2Transfer();
  size_t part_words() const;

 public:
  static void initialize();
  static H2Transfer& of_h2()            { return *_of_h2; }

  // Called around a major collection.
  void begin_collection(bool last_resort);
  void end_collection();
  void moved(size_t words, jlong nanos, bool has_rest);
  // The goal for the time that moving objects to or within H2 adds to this pause. 0 means that
  // there is no goal.
  uintx goal_millis() const;
  // Whether the last transfer moved only a part of the scheduled objects, because its pause has a
  // goal.
  bool has_rest() const                 { return Atomic::load(&_has_rest); }
  // The number of collections in which scheduled objects did not wait.
  uint tries() const                    { return Atomic::load(&_tries); }
  // Called after marking, reference processing and class unloading.
  void run();
  // The reason why a transfer was last abandoned, or NULL.
  const char* last_error() const        { return _last_error; }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2TRANSFER_HPP
