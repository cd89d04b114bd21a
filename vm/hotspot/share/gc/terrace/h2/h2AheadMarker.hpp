/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2AHEADMARKER_HPP
#define SHARE_GC_TERRACE_H2_H2AHEADMARKER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/h2ClassLoaders.hpp"
#include "gc/terrace/h2/h2RegionSet.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/atomic.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class Monitor;

// Marks through H2 beside the program, ahead of the collection that will
// (H2DeepMarking), so that its pause follows less. An incremental update:
//
//   Idle --begin_noting--> Noting --start--> Marking --stop_marking--> Stopped --resume--> Resumed --finish--> Idle
//                          Noting, Stopped --discard--> Idle
//
//   Noting   a major collection after which one that marks through H2 is due
//            notes to which objects of H2 references from outside lead
//   Marking  until the next major collection, this thread follows from those, and
//            from what the first one has moved, references inside of H2
//   Resumed  that next one starts from these marks. It looks again at the marked
//            objects on cards that are not clean, and follows what roots refer to,
//            as if there were no marks
//
// A card that the program has written must not get clean before the pause has
// looked at it: while the thread marks, minor collections leave such cards old
// (H2Cards::scavenge). The cards of references to H1, which the thread does not
// follow, are old or young anyway.
//
// The thread need not stop for minor collections, which change no reference
// inside of H2, but leaves the processors to them. Regions, the start table and
// classes change only in major collections, and those wait until it has stopped.
// It has no state then but the marks and the queue.
//
// An object that was marked ahead and has died since stays until the next marking
// through H2. A cycle through H1 would stay as long as markings begin ahead: what
// garbage of H2 refers to in H1 is alive for the collection that notes. So some
// begin without, as do those for which somebody wants all garbage to be found.
//
// H2 has neither references (java.lang.ref) nor mirrors nor class loaders. The
// loaders of classes that the thread came upon are marked in the pause.
class H2AheadMarker : public ConcurrentGCThread {
  friend class H2AheadClosure;

  enum State { Idle, Noting, Marking, Stopped, Resumed };

  // In one run of regions.
  struct Found : public CHeapObj<mtGC> {
    H2RegionSet    dependencies;
    H2ClassLoaders class_loaders;

    Found();
    ~Found();
  };

  // Markings that began ahead, one after the other.
  static const uint MaxInARow = 4;

  static H2AheadMarker* _instance;
  static State          _state;             // changes at safepoints
  static uint           _in_a_row;
  static HeapWord**     _tops;              // by region, before the transfer; NULL if it was not the first of a run
  static uint           _top_count;
  static GrowableArray<MemRegion>* _moved;
  static Found**        _found;             // by index of head
  static volatile uint  _claimed;           // regions, to look at again
  // Over the life of the VM.
  static volatile size_t _followed_objects;
  static size_t         _followed_before;   // this marking
  static volatile bool  _must_stop;

  Monitor* _monitor;
  // Guarded by it.
  bool     _has_work;
  bool     _is_busy;

  H2AheadMarker();

  void go();
  void await_idle();
  bool may_go_on() const;
  bool mark_moved() const;
  bool follow() const;
  static void find_moved();
  static Found* found_in(uint head);
  static void release();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void initialize();

  // In a major collection, by the VM thread, in the order of their calls.
  static void stop_marking();
  static bool is_stopped()              { return _state == Stopped; }
  static void resume();
  static void discard();
  // False: the next one cannot begin ahead.
  static bool begin_noting();
  static void before_transfer();
  // After compaction.
  static void start_if_due();
  // After a marking through H2, which has gained something or not.
  static void finish(bool has_gained);

  // In marking, by any number of workers.
  static bool is_noting()               { return _state == Noting; }
  static void note_root(oop obj);

  // Whether written cards must not get clean.
  static bool is_marking()              { return _state == Marking; }

  static bool is_resumed()              { return _state == Resumed; }
  // A region to look at again; any number of workers.
  static bool claim(uint& index);
  static uint unclaimed();
  // Calls function for what the thread found in a run of regions.
  template <typename Dependency, typename Loader>
  static void found_do(uint head, Dependency dependency, Loader loader) {
    _found[head]->dependencies.each_do(dependency);
    for (int i = 0; i < _found[head]->class_loaders.length(); i++) {
      loader(_found[head]->class_loaders.at(i));
    }
  }

  // Of a VM that marks ahead.
  static bool is_busy();
  // By this marking.
  static size_t followed_objects()      { return Atomic::load(&_followed_objects) - _followed_before; }
  // By all. Changes while the thread reads H2.
  static size_t all_followed_objects()  { return Atomic::load(&_followed_objects); }
};

#endif // SHARE_GC_TERRACE_H2_H2AHEADMARKER_HPP
