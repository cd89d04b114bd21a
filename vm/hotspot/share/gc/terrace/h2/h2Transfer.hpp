/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2TRANSFER_HPP
#define SHARE_GC_TERRACE_H2_H2TRANSFER_HPP

#include "gc/terrace/h2/h2TransferBudget.hpp"
#include "memory/allStatic.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// Moves the objects that are due, with what they reach, from H1 to H2, between
// marking and the summary phase of a major collection (TeraHeap, section 3.3):
//
//   select  the closure of each root, into H2Forwarding
//   assign  addresses, group by group in address order; opens regions
//   copy    to the device, references inside H2 forwarded; H1 is intact until
//           here, so that any failure means "forget it"
//   commit  the moved objects are no longer marked in H1
//
// References to H1 in the copies hold old addresses until H2Cards::adjust.
class H2Transfer : public AllStatic {
  static const char*   _last_error;
  static bool          _failed_before;
  static bool          _is_last_resort;
  static volatile bool _has_rest;
  static H2TransferBudget _budget;
  // Of this collection.
  static jlong         _start;
  static jlong         _nanos;
  static jlong         _deep_markings;

  static size_t part_words();

 public:
  static void initialize();
  // Around a major collection.
  static void begin_collection(bool last_resort);
  static void end_collection();
  static void moved(size_t words, jlong nanos, bool has_rest);
  // For the time that moving objects to H2, or in it, adds to this pause. 0: none.
  static uintx goal_millis();
  // Whether the last one moved only a part of what is due, as its pause has a goal.
  static bool has_rest()          { return Atomic::load(&_has_rest); }
  // After marking, reference processing and class unloading.
  static void run();
  // After marking.
  static size_t live_words_in_h1();
  // Why a transfer was abandoned last; NULL if none was.
  static const char* last_error() { return _last_error; }
};

#endif // SHARE_GC_TERRACE_H2_H2TRANSFER_HPP
