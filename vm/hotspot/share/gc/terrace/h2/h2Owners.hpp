/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2OWNERS_HPP
#define SHARE_GC_TERRACE_H2_H2OWNERS_HPP

#include "gc/shared/gcCause.hpp"
#include "memory/allStatic.hpp"
#include "memory/referenceType.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class Mutex;

// How many objects that own something outside of the heap (memory, a descriptor,
// a mapping) are alive because H2 refers to them, or because their region of
// H2 is: those that a cleaner or a finalizer waits for, and direct buffers. H2
// keeps what is dropped until its region dies or a collection marks through H2,
// and nobody notices that the memory or the descriptors run out meanwhile, but
// the library and the program, which ask for a collection and expect that it helps
// (H2DeepMarkingPolicy).
//
// The count costs nothing without such objects: it is made where marking comes
// upon a reference whose referent is in H2, or first upon an object of H1 from there.
class H2Owners : public AllStatic {
  static bool            _is_counting;
  static bool            _is_deep;
  static volatile size_t _kept;         // found by the last marking, and moved since
  static size_t          _kept_before;  // by the marking before
  static size_t          _live;         // of those found last by a marking through H2, which drops the others
  static bool            _was_in_vain;  // the last collection that the program asked for
  static jlong           _moved_before; // bytes, when it began
  static volatile size_t _weakly;       // weak and soft references whose referents H2 keeps, by the last marking
  // Marking through H2 has yet to find out whether the referents are alive.
  static GrowableArray<oop>* _undecided;
  static Mutex*              _lock;

  static void count()           { Atomic::inc(&_kept); }

 public:
  static void initialize();

  // Whether the thread that asked for this collection runs code of the library
  // that is short of memory for a buffer, or of mappings.
  static bool is_library_waiting();

  static void begin_marking(bool deep);
  // Between that and end_marking.
  static bool is_counting()     { return _is_counting; }
  // A reference whose referent is in H2. Any number of workers.
  static void found(oop reference, ReferenceType type);
  // An object of H1 that is alive because a slot of H2 refers to it.
  static void found_target(oop obj);
  // After marking, while its marks are there.
  static void end_marking(GCCause::Cause cause);
  // Adds weak references of native code, if the program has asked for this collection. After
  // H2Tags has dropped those of its own that lead into H2.
  static void count_native(GCCause::Cause cause);

  static size_t kept()          { return Atomic::load(&_kept); }
  static size_t live()          { return _live; }
  static bool   was_in_vain()   { return _was_in_vain; }
  // Objects have moved since they were counted.
  static bool   may_be_more();
  static size_t weakly_kept()   { return Atomic::load(&_weakly); }
  // Whether the last marking has found fewer than the one before.
  static bool   has_freed()     { return kept() < _kept_before; }
};

#endif // SHARE_GC_TERRACE_H2_H2OWNERS_HPP
