/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2REGION_HPP
#define SHARE_GC_TERRACE_H2_H2REGION_HPP

#include "gc/terrace/h2/h2ClassLoaders.hpp"
#include "gc/terrace/h2/h2Clusters.hpp"
#include "gc/terrace/h2/h2Residency.hpp"
#include "gc/terrace/h2/h2Targets.hpp"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

class ClassLoaderData;
class H2LabelSpans;

// A region of H2 (TeraHeap, section 3.2): objects that are freed together. They have one label, or
// several small labels share the region (H2LabelSpans).
//
//   Free --open--> Head ------------------------------free--> Free
//   Free --open--> Continuation (of the Head before it) -free--> Free
//
// An object larger than a region, with those that precede it in its block, and others
// of its label after it, has a run: a Head and its Continuations. All bookkeeping of a run is kept
// by its Head, and [bottom, top) of the Head spans the run. Only an array is that
// large, so no other object lies in two regions, and several workers can scan the
// regions of a run.
//
// Only a safepoint changes a region. During marking _live and _held change
// once, from false to true, by whichever worker finds the first reference.
class H2Region {
 public:
  enum State : uint8_t { Free, Head, Continuation };

 private:
  State          _state;
  volatile bool  _live;
  volatile bool  _held;             // something outside of H2 refers to it
  volatile bool  _softly;           // a soft reference does, by the last marking
  bool           _evacuated : 1;    // the current collection empties it
  bool           _pretenured : 1;   // begins with an array that the program allocated here
  uint           _run_length;       // Head: regions in the run
  uint           _head_index;       // Continuation: index of the Head
  uint           _garbage_words;    // Head: that marking through H2 found
  HeapWord*      _marked_top;       // Head: below, H2LiveMap tells what is garbage; NULL: none is
  HeapWord*      _top;
  jlong          _label;
  // Those that define classes of objects here and can be unloaded.
  H2ClassLoaders* _class_loaders;
  H2ClassLoaders* _class_loaders_before;  // this marking through H2, else NULL
  H2Region*      _next_live;        // link of the list of newly live regions
  H2LabelSpans*  _label_spans;      // NULL: all objects have _label
  H2Clusters     _clusters;
  H2Residency    _residency;
  // Continuations too:
  H2Targets*     _targets;          // of its cards; NULL: none yet
  HeapWord*      _highest_target;   // in H1, of its old cards, as marking found it

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
  // By any number of workers.
  inline void hold();
  void  set_held(bool held)         { _held = held; }
  bool  is_softly_held() const      { return _softly; }
  // By any number of workers.
  void  set_softly_held(bool softly) { _softly = softly; }
  void  set_garbage_words(size_t words) { _garbage_words = checked_cast<uint>(words); }

  // One thread at a time.
  void  add_class_loader(ClassLoaderData* cld);
  void  find_class_loaders_anew();
  // Whether all that were known before were found anew; ends that.
  bool  has_all_class_loaders_of_before();
  // Takes back those that were added last.
  int   class_loader_count() const  { return _class_loaders->length(); }
  void  truncate_class_loaders(int count) { _class_loaders->truncate(count); }
  bool  has_class_loader(ClassLoaderData* cld) const;
  template <typename Function> inline void class_loaders_do(Function function) const;

  H2Clusters&       clusters()       { return _clusters; }
  const H2Clusters& clusters() const { return _clusters; }
  H2Residency&      residency()      { return _residency; }

  H2Targets* targets() const         { return _targets; }
  H2Targets* make_targets() {
    if (_targets == NULL) {
      _targets = new H2Targets();
    }
    return _targets;
  }
  // The remembered cards are to be read again.
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

#endif // SHARE_GC_TERRACE_H2_H2REGION_HPP
