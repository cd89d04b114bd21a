/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2REGION_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2REGION_HPP

#include "gc/terrace/h2/base/h2ClassLoaders.hpp"
#include "gc/terrace/h2/base/h2Targets.hpp"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

class ClassLoaderData;
class H2LabelSpans;

// A region of H2 (TeraHeap, section 3.2), whose objects are freed together. They have one label, or
// several small labels share the region (H2LabelSpans).
//
//   Free --open--> Head ------------------------------free--> Free
//   Free --open--> Continuation (of the Head before it) -free--> Free
//
// An object larger than a region is stored in a run, which consists of a Head and its
// Continuations. The run also contains objects of its label that precede it in its block (H2Forwarding),
// and may contain objects of its label after it. The Head keeps all bookkeeping of a run, and its
// [bottom, top) spans the run. Only an array is that large. No other object spans two regions, so
// several workers can scan the regions of a run.
//
// Regions change only at safepoints. During marking, _live and _held change at most once, from
// false to true, by the worker that finds the first reference.
class H2Region {
 public:
  enum State : uint8_t { Free, Head, Continuation };

 private:
  State          _state;
  volatile bool  _live;
  volatile bool  _held;             // referenced from outside H2
  volatile bool  _softly;           // referenced by a soft reference, as of the last marking
  bool           _evacuated : 1;    // evacuated by the current collection
  bool           _pretenured : 1;   // begins with an array that the program allocated here
  uint           _run_length;       // Head: regions in the run
  uint           _head_index;       // Continuation: index of the Head
  uint           _garbage_words;    // Head: garbage found by the last marking through H2
  HeapWord*      _marked_top;       // Head: H2LiveMap knows the garbage below it; NULL: no garbage is known
  HeapWord*      _top;
  jlong          _label;
  // The unloadable class loaders that define classes of objects in the region.
  H2ClassLoaders* _class_loaders;
  H2ClassLoaders* _class_loaders_before;  // during a marking through H2: the earlier ones, else NULL
  H2Region*      _next_live;        // link of the list of newly live regions
  H2LabelSpans*  _label_spans;      // NULL: all objects have _label
  // Also used by Continuations:
  H2Targets*     _targets;          // H1 objects to which its cards refer; NULL: none yet
  HeapWord*      _highest_target;   // in H1, from its old cards, as found by marking

  friend class H2Heap;
  friend class H2AgentTable;

 public:
  bool  is_free() const             { return _state == Free; }
  bool  is_head() const             { return _state == Head; }
  bool  is_live() const             { return _live; }
  uint  run_length() const          { return _run_length; }
  jlong label() const               { return _label; }
  HeapWord* top() const             { return _top; }
  void  set_top(HeapWord* top)      { _top = top; }

  bool  is_held() const             { return _held; }
  bool  is_evacuated() const        { return _evacuated; }
  void  set_evacuated(bool evacuated) { _evacuated = evacuated; }
  bool  is_shared() const           { return _label_spans != NULL; }
  H2LabelSpans* label_spans() const { return _label_spans; }
  void  set_label_spans(H2LabelSpans* spans) { _label_spans = spans; }
  bool  is_pretenured() const       { return _pretenured; }
  void  set_pretenured()            { _pretenured = true; }
  size_t garbage_words() const      { return _garbage_words; }
  HeapWord* marked_top() const      { return _marked_top; }
  void  set_marked_top(HeapWord* top) { _marked_top = top; }

  // Returns true for the one caller that makes the region live.
  inline bool claim_live();
  void  set_live(bool live)         { _live = live; }
  // Called by any number of workers.
  inline void hold();
  void  set_held(bool held)         { _held = held; }
  bool  is_softly_held() const      { return _softly; }
  // Called by any number of workers.
  void  set_softly_held(bool softly) { _softly = softly; }
  void  set_garbage_words(size_t words) { _garbage_words = checked_cast<uint>(words); }

  // Called by one thread at a time.
  void  add_class_loader(ClassLoaderData* cld);
  void  find_class_loaders_anew();
  // Ends find_class_loaders_anew(). Returns whether all earlier class loaders were found again.
  bool  has_all_class_loaders_of_before();
  // Truncation removes the class loaders that were added last.
  int   class_loader_count() const  { return _class_loaders->length(); }
  void  truncate_class_loaders(int count) { _class_loaders->truncate(count); }
  bool  has_class_loader(ClassLoaderData* cld) const;
  template <typename Function> inline void class_loaders_do(Function function) const;

  H2Targets* targets() const         { return _targets; }
  H2Targets* make_targets() {
    if (_targets == NULL) {
      _targets = new H2Targets();
    }
    return _targets;
  }
  // Forgets the targets. Remembered cards of the region must be scanned again, or become clean.
  void forget_targets() {
    if (_targets != NULL) {
      _targets->truncate(0);
    }
  }

  HeapWord* highest_target() const   { return _highest_target; }
  void set_highest_target(HeapWord* target) { _highest_target = target; }

  H2Region* next_live() const       { return _next_live; }
  void  set_next_live(H2Region* r)  { _next_live = r; }
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2REGION_HPP
