/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2UNHINTED_HPP
#define SHARE_GC_TERRACE_H2_H2UNHINTED_HPP

#include "gc/terrace/h2/h2Quiet.hpp"
#include "gc/terrace/h2/h2Restless.hpp"
#include "memory/allStatic.hpp"
#include "oops/klass.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

// Which objects of H1 may move though nobody tagged them (H2MoveUnhinted), when
// the old generation is full:
//
//   - arrays of primitives that have survived a major collection. They refer to
//     nothing, so in H2 they have no cards to read;
//   - if those do not suffice, structures: objects that have survived two, and that
//     the program has not written of late (H2Quiet), with what they reach of the same
//     kind. Objects of classes that the program wrote much in H2 stay (H2Restless).
//
// Compaction slides, so what has survived lies below where the old generation
// ended after an earlier major collection. For the same reason a collection does
// not look again where an earlier one has looked: what has come since lies above.
class H2Unhinted : public AllStatic {
 public:
  // In the order in which they are chosen. Large arrays first: they make few
  // references into H2 for many bytes.
  enum Kind { LargeArrays, SmallArrays, Structures, KindCount };

 private:
  // [i]: what lies below has survived i + 1 major collections.
  static const int Ages = 2;
  static HeapWord* _survived[Ages];
  // Where to look next.
  static HeapWord* _cursors[KindCount];
  // Structures stay where they are, and may become quiet, so they are looked for
  // in laps. While laps find little, most collections do without.
  static const uint MaxLapPause = 64;
  static uint      _lap_pause;
  static uint      _skipped_laps;
  // Of regions of such objects into which soft references lead.
  static size_t    _softly_held_bytes;
  // In this collection.
  static bool      _is_last_resort;
  static bool      _is_lap_due;

  // An array that is longer counts as written.
  static const int MaxLooked = 64 * K;

  static bool refers_to_newer(oop obj);
  static HeapWord* new_place(HeapWord* p);

 public:
  // Labels of the regions of such objects.
  static const jlong ArraysLabel = min_jlong;
  static const jlong StructuresLabel = min_jlong + 1;
  static const size_t LargeWords = 1 * K / BytesPerWord;
  static const size_t SmallestWords = 4;
  // Less than this is not looked for.
  static const size_t EnoughWords = 8 * K;

  static const char* name(Kind kind) {
    return kind == LargeArrays ? "large arrays" : kind == SmallArrays ? "small arrays" : "structures";
  }
  static bool is_label(jlong label)       { return label == ArraysLabel || label == StructuresLabel; }

  static void initialize();

  // What the policy for soft references has to take for used in H1: these bytes would
  // be there, if they had not moved by themselves. Else nothing would ever clear the
  // references, and a cache would grow to all of H2.
  static size_t softly_held_bytes()       { return _softly_held_bytes; }

  static void before_scavenge();
  // Before a selection. Whether more than the low threshold is live; whether objects
  // are to move; whether an OutOfMemoryError is next: then all that is old may
  // move, written or not.
  static void begin_selection(bool above_low, bool under_pressure, bool last_resort);
  static bool is_lap_due()                { return _is_lap_due; }

  // Of this kind, objects below may move.
  static HeapWord* end_of(Kind kind) {
    return _survived[kind == Structures && !_is_last_resort ? 1 : 0];
  }
  static HeapWord* cursor(Kind kind)      { return _cursors[kind]; }
  // For an object of a structure that is old enough. If cards do not tell what is
  // written: what refers to newer objects was.
  static bool may_move(oop obj, const Klass* k, size_t size) {
    return k->is_typeArray_klass() || _is_last_resort ||
           (!H2Restless::contains(k, size) &&
            (H2Quiet::is_known() ? H2Quiet::is_quiet(cast_from_oop<HeapWord*>(obj), size) : !refers_to_newer(obj)));
  }

  // What was selected has moved; where to look next, before compaction; and whether
  // everything was looked at.
  static void moved(Kind kind, size_t words, HeapWord* cursor, bool is_lap);
  // After compaction, before the tops of spaces are set.
  static void end_major_collection();
};

#endif // SHARE_GC_TERRACE_H2_H2UNHINTED_HPP
