/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2UNHINTED_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2UNHINTED_HPP

#include "gc/terrace/h2/transfer/h2Quiet.hpp"
#include "gc/terrace/h2/transfer/h2Restless.hpp"
#include "oops/klass.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

// Decides which untagged objects of H1 may move (H2MoveUnhinted) when the old generation is full.
// There are three kinds, each of which moves if the kinds before it do not suffice:
//
//   - large arrays of primitives that have survived a major collection. They have no references, so in H2 they
//     have no cards to read.
//   - small arrays of this sort, from SmallestWords up.
//   - structures. These are objects that have survived two major collections and
//     that the program has not written recently (H2Quiet), with their closure of the same kind. Objects of
//     classes that the program often wrote in H2 stay (H2Restless).
//
// Compaction slides objects. So objects that have survived are below the end that the old
// generation had after an earlier major collection. For the same reason, a collection does not
// search below the address that an earlier one reached, because newer objects are above it.
class H2Unhinted {
 public:
  // The kinds in the order in which they are chosen. Large arrays come first, because they need few
  // references into H2 for many bytes.
  enum Kind { LargeArrays, SmallArrays, Structures, KindCount };

 private:
  // Objects below _survived[i] have survived i + 1 major collections.
  static const int Ages = 2;
  // An object, because a pointer to it would be read for each object.
  static H2Unhinted _of_h2;

  HeapWord* _survived[Ages];
  // The addresses where the search continues.
  HeapWord* _cursors[KindCount];
  // Structures remain and may become quiet later, so they are searched in laps. While laps find
  // little, most collections skip them.
  static const uint MaxLapPause = 64;
  uint      _lap_pause;
  uint      _skipped_laps;
  // The used bytes of regions of unhinted objects to which a soft reference led at the last marking.
  size_t    _softly_held_bytes;
  H2Quiet    _quiet;
  H2Restless _restless;
  // The state of the current collection.
  bool      _is_last_resort;
  bool      _is_lap_due;

  // A longer array counts as written.
  static const int MaxLooked = 64 * K;

  NONCOPYABLE(H2Unhinted);

  H2Unhinted();
  bool refers_to_newer(oop obj) const;

 public:
  static const size_t LargeWords = 1 * K / BytesPerWord;
  static const size_t SmallestWords = 4;
  // The search is not worthwhile for less than this.
  static const size_t EnoughWords = 8 * K;

  static const char* name(Kind kind) {
    return kind == LargeArrays ? "large arrays" : kind == SmallArrays ? "small arrays" : "structures";
  }

  static void initialize();
  static H2Unhinted& of_h2()              { return _of_h2; }

  // The milliseconds for which a soft reference may be unused, where millis is the limit for H1 alone. The
  // policy counts softly reachable objects of H2 as used in H1. They would be there if they had not moved
  // without a hint. Otherwise the references would never be cleared, and a cache would grow to all of H2.
  jlong soft_reference_millis(jlong millis) const;

  void before_scavenge();
  // Called before a selection. above_low says that more than the low threshold is live, and
  // under_pressure that objects must move. last_resort says that an OutOfMemoryError is next. All
  // old objects may move then, even written ones.
  void begin_selection(bool above_low, bool under_pressure, bool last_resort);
  // Whether it is known which objects the program has written.
  bool are_writes_known() const           { return _quiet.is_known(); }
  bool is_lap_due() const                 { return _is_lap_due; }

  // Objects of this kind may move if they are below this address.
  HeapWord* end_of(Kind kind) const {
    return _survived[kind == Structures && !_is_last_resort ? 1 : 0];
  }
  HeapWord* cursor(Kind kind) const       { return _cursors[kind]; }
  // Whether an object of a structure that is old enough may move. If cards do not tell which
  // objects were written, objects that refer to newer ones count as written.
  bool may_move(oop obj, const Klass* k, size_t size) const {
    return k->is_typeArray_klass() || _is_last_resort ||
           (!_restless.contains(k, size) &&
            (_quiet.is_known() ? _quiet.is_quiet(cast_from_oop<HeapWord*>(obj), size) : !refers_to_newer(obj)));
  }

  // Called when selected objects have moved. cursor is the address, before compaction, where the
  // search continues, and is_lap says that everything was searched.
  void moved(Kind kind, size_t words, HeapWord* cursor, bool is_lap);
  // Called after compaction, before the tops of spaces are set.
  void end_major_collection();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2UNHINTED_HPP
