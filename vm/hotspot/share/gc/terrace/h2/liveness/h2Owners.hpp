/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2OWNERS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2OWNERS_HPP

#include "gc/shared/gcCause.hpp"
#include "memory/allStatic.hpp"
#include "memory/referenceType.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class Mutex;

// Counts the objects that own a resource outside the heap (memory, a descriptor, a mapping) and
// that H2 keeps alive. They are direct buffers and the referents of cleaners and finalizers. H2
// refers to them, or their region of H2 is alive. H2 keeps a dropped owner until its region dies or
// a collection marks through H2. If memory or descriptors run short meanwhile, only the library and
// the program notice. They request a collection, and expect that it helps (H2DeepMarkingPolicy).
//
// Without such objects, the count costs nothing. Objects are counted when marking reaches a
// reference whose referent is in H2, or first reaches an object of H1 from H2.
class H2Owners : public AllStatic {
  static bool            _is_counting;
  static bool            _is_deep;
  static volatile size_t _kept;         // found by the last marking, or moved since
  static size_t          _kept_before;  // found by the previous marking
  static size_t          _live;         // live at the last marking through H2, which drops the others
  static bool            _was_in_vain;  // the last requested collection freed no owner
  static jlong           _moved_before; // bytes moved before this marking began
  static volatile size_t _weakly;       // weak and soft references with referents in H2, found by the last marking
  // References for which a marking through H2 must still find out whether the referent is alive.
  static GrowableArray<oop>* _undecided;
  static Mutex*              _lock;

  static void count()           { Atomic::inc(&_kept); }

 public:
  static void initialize();

  // Whether the thread that requested this collection runs library code that is short of memory for
  // a buffer, or of mappings.
  static bool is_library_waiting();

  static void begin_marking(bool deep);
  // Whether counting is active, between begin_marking and end_marking.
  static bool is_counting()     { return _is_counting; }
  // Counts a reference whose referent is in H2. Called by any number of workers.
  static void found(oop reference, ReferenceType type);
  // Counts an object of H1 that is alive because an object in H2 refers to it.
  static void found_target(oop obj);
  // Called after marking, while its marks are still available.
  // was_ahead: the marking went on from marks that were set ahead.
  static void end_marking(GCCause::Cause cause, bool was_ahead);
  // Adds weak references of native code, if the program requested this collection. Called after
  // H2Tags has dropped its own weak references into H2.
  static void count_native(GCCause::Cause cause);

  static size_t kept()          { return Atomic::load(&_kept); }
  static size_t live()          { return _live; }
  static bool   was_in_vain()   { return _was_in_vain; }
  // Whether objects have moved since the count.
  static bool   may_be_more();
  static size_t weakly_kept()   { return Atomic::load(&_weakly); }
  // Whether the last marking found fewer owners than the one before.
  static bool   has_freed()     { return kept() < _kept_before; }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2OWNERS_HPP
