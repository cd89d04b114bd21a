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
#include "memory/allocation.hpp"
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
class H2Owners : public CHeapObj<mtGC> {
  static H2Owners* _of_h2;

  bool            _is_counting;
  bool            _is_deep;
  volatile size_t _kept;         // found by the last marking, or moved since
  size_t          _kept_before;  // found by the previous marking
  size_t          _live;         // live at the last marking through H2, which drops the others
  bool            _was_in_vain;  // the last requested collection freed no owner
  jlong           _moved_before; // bytes moved before this marking began
  volatile size_t _weakly;       // weak and soft references with referents in H2, found by the last marking
  // References for which a marking through H2 must still find out whether the referent is alive.
  GrowableArray<oop>* _undecided;
  Mutex* const        _lock;

  NONCOPYABLE(H2Owners);

  H2Owners();
  void count()                  { Atomic::inc(&_kept); }

 public:
  static void initialize()      { _of_h2 = new H2Owners(); }
  static H2Owners& of_h2()      { return *_of_h2; }

  // Whether the thread that requested this collection runs library code that is short of memory for
  // a buffer, or of mappings.
  static bool is_library_waiting();

  void begin_marking(bool deep);
  // Whether counting is active, between begin_marking and end_marking.
  bool is_counting() const      { return _is_counting; }
  // Counts a reference whose referent is in H2. Called by any number of workers.
  void found(oop reference, ReferenceType type);
  // Counts an object of H1 that is alive because an object in H2 refers to it.
  void found_target(oop obj);
  // Called after marking, while its marks are still available.
  // was_ahead: the marking went on from marks that were set ahead.
  void end_marking(GCCause::Cause cause, bool was_ahead);
  // Adds weak references of native code, if the program requested this collection. Called after
  // H2Tags has dropped its own weak references into H2.
  void count_native(GCCause::Cause cause);

  size_t kept() const           { return Atomic::load(&_kept); }
  size_t live() const           { return _live; }
  bool   was_in_vain() const    { return _was_in_vain; }
  // Whether objects have moved since the count.
  bool   may_be_more() const;
  size_t weakly_kept() const    { return Atomic::load(&_weakly); }
  // Whether the last marking found fewer owners than the one before.
  bool   has_freed() const      { return kept() < _kept_before; }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2OWNERS_HPP
