/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2AHEADMARKER_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2AHEADMARKER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/base/h2ClassLoaders.hpp"
#include "gc/terrace/h2/space/h2RegionSet.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/atomic.hpp"
#include "utilities/growableArray.hpp"

class H2NullSlices;
class H2Region;
class Monitor;

// A thread that marks through H2 concurrently, ahead of the collection that marks through H2
// (H2DeepMarking), so that its pause is shorter. It is an incremental-update marking:
//
//   Idle --begin_noting--> Noting --start--> Marking --stop_marking--> Stopped --resume--> Resumed --finish--> Idle
//                          Noting, Stopped --discard--> Idle
//
//   Noting   A major collection runs, and the next one may have to mark through H2. This
//            collection records the objects of H2 to which references from outside lead.
//   Marking  Until the next major collection, the thread follows references inside of H2.
//            It starts from these objects, and from objects that the first one has moved.
//   Resumed  The next collection starts from these marks. It scans marked objects on
//            cards that are not clean again. It follows roots as if there were no marks.
//
// A card that the program has written must not become clean before the pause has scanned it.
// So while the thread marks, minor collections set such cards to old (H2Cards::scavenge). The
// cards of references to H1, which the thread does not follow, are old or young anyway.
//
// Minor collections change no reference inside of H2, so the thread need not stop for them. It
// waits nevertheless, to leave the processors to them. Regions, the start table and classes
// change only in major collections, which wait until the thread has stopped. Then its only
// state is the marks, the queue and the records in _found. The exception is an array that the
// program allocates in H2. It gets regions of its own at a safepoint, before the thread can
// find a reference to it.
//
// An object that was marked ahead and has died since stays until the next marking through
// H2. A garbage cycle through H1 would stay as long as markings begin ahead, because the
// collection that records roots keeps the objects of H1 to which garbage of H2 refers. So some
// markings do not begin ahead, and neither do markings that must find all garbage.
//
// H2 contains no references (java.lang.ref), mirrors or class loaders. The pause marks the
// loaders of the classes that the thread has found.
class H2AheadMarker : public ConcurrentGCThread {
  friend class H2AheadClosure;

  enum State { Idle, Noting, Marking, Stopped, Resumed };

  // The dependencies and class loaders that the thread has found in one run of regions.
  struct Found : public CHeapObj<mtGC> {
    H2RegionSet    dependencies;
    H2ClassLoaders class_loaders;

    Found();
    ~Found();
  };

  // The records of one marking. They exist from begin_noting() to finish() or discard().
  struct Records : public CHeapObj<mtGC> {
    HeapWord**               tops;               // by region, before the transfer; NULL: it was not the head of a run
    uint                     top_count;
    GrowableArray<MemRegion> moved;
    Found**                  found;              // by index of head
    volatile uint            claimed;            // regions to scan again
    size_t                   followed_before;    // objects, by markings before

    Records();
    ~Records();
    void note_tops();
    void find_moved();
    void start(size_t followed);
    Found* found_in(uint head);
    bool claim(uint& index);
  };

  // The maximum number of markings in a row that begin ahead.
  static const uint MaxInARow = 4;

  static H2AheadMarker* _of_h2;              // NULL if H2MarkAhead is off

  H2NullSlices&   _null_slices;
  State           _state;                    // changes only at safepoints
  uint            _in_a_row;
  Records*        _records;                  // NULL: Idle
  volatile size_t _followed_objects;         // since the start of the VM
  volatile bool   _must_stop;

  Monitor* const  _monitor;
  // Guarded by _monitor.
  bool            _has_work;
  bool            _is_busy;

  H2AheadMarker(H2NullSlices& null_slices);

  void go();
  void await_idle();
  bool may_go_on() const;
  bool mark_moved() const;
  bool follow();
  void release();
  static bool is_in(State state)        { return _of_h2 != NULL && _of_h2->_state == state; }

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  static void initialize(H2NullSlices& null_slices);

  // Called in a major collection by the VM thread, in this order.
  static void stop_marking();
  static bool is_stopped()              { return is_in(Stopped); }
  static void resume();
  static void discard();
  // Called only if H2MarkAhead is on. Returns false if the next marking cannot begin ahead.
  static bool begin_noting();
  static void before_transfer();
  // Called after compaction. is_due: the next collection marks through H2.
  static void start_if_due(bool is_due);
  // Called after a marking through H2. has_gained: whether it was worth its pause.
  static void finish(bool has_gained);

  // Called during marking by any number of workers.
  static bool is_noting()               { return is_in(Noting); }
  static void note_root(oop obj);

  // Whether written cards must not become clean.
  static bool is_marking()              { return is_in(Marking); }

  static bool is_resumed()              { return is_in(Resumed); }
  // Claims a region to scan again. Called by any number of workers.
  static bool claim(uint& index);
  static uint unclaimed();
  // Calls the functions for the dependencies and loaders that the thread has found in a run.
  template <typename Dependency, typename Loader>
  static void found_do(uint head, Dependency dependency, Loader loader) {
    Found* const found = _of_h2->_records->found[head];
    found->dependencies.each_do(dependency);
    for (int i = 0; i < found->class_loaders.length(); i++) {
      loader(found->class_loaders.at(i));
    }
  }

  // Called only if H2MarkAhead is on.
  static bool is_busy();
  // The number of objects that this marking has followed. Called during such a marking.
  static size_t followed_objects()      { return all_followed_objects() - _of_h2->_records->followed_before; }
  // The same number for all markings. It changes while the thread reads H2.
  static size_t all_followed_objects()  { return _of_h2 == NULL ? 0 : Atomic::load(&_of_h2->_followed_objects); }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2AHEADMARKER_HPP
