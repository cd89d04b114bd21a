/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2DEEPMARKING_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2DEEPMARKING_HPP

#include "gc/terrace/h2/liveness/h2DeepMarkingPolicy.hpp"
#include "gc/terrace/h2/liveness/h2GarbageBound.hpp"
#include "gc/terrace/h2/space/h2Marks.hpp"
#include "gc/terrace/h2/space/h2Region.hpp"
#include "gc/terrace/h2/space/h2RegionQueue.hpp"
#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"

class H2WorkerCounts;
class ParCompactionManager;
class WorkGang;

// The marking phase of a major collection that also traces the objects of H2 one by one. It is
// rare, but needed, because liveness by regions keeps too much garbage in the long run. It has
// two effects:
//
//   - A run of regions without a reachable object is freed, even if garbage refers to it.
//   - Garbage in a live run no longer keeps objects of H1, class loaders or other runs
//     alive. Its references dangle, so nothing may follow them (H2LiveMap).
//
// The marking also determines the dependencies and class loaders of runs anew.
//
// A worker claims a run and follows references inside of it depth first. It records targets in
// other runs as pending, and queues these runs again:
//
//   Idle --mark--> Queued --claim--> Scanning --all followed--> Idle
//                                    Scanning --mark--> Again --sweep--> Scanning
//
// An array can extend into other regions of its run. When the array is reached, these parts are
// queued with the indices of their regions, for any worker. Their targets in the run become
// pending.
//
// So pages are read run by run, and a mark stack contains only objects of one run. Marks and
// pending objects are two H2Marks.
//
// H2AheadMarker may have set marks concurrently before the pause.
class H2DeepMarking : public AllStatic {
  friend class H2AheadClosure;
  friend class H2AheadMarker;
  friend class H2RunClosure;
  friend class H2SettleTask;

  enum RunState { Idle, Queued, Scanning, Again };

  struct Run {
    volatile int    _state;
    // The part of the bitmap with pending objects. No bit outside of it is set, so a scan
    // for one object does not read all bits of the run.
    volatile julong _span;
    // Changed only by the worker that scans the run.
    size_t          _reachable_words;
  };

  // A span has the lowest word of the bitmap and the one after the highest, counted from the
  // run's first word. Both are in one integer, because any worker extends them.
  static const julong EmptySpan = (julong)max_juint << 32;
  static julong span_of(uint low, uint high)    { return (julong)low << 32 | high; }
  static uint   low_of(julong span)             { return (uint)(span >> 32); }
  static uint   high_of(julong span)            { return (uint)span; }

  static H2DeepMarkingPolicy _policy;
  static H2GarbageBound _garbage_bound;
  static jlong         _ended;          // end of the last marking, in nanoseconds; 0: none
  static size_t        _ended_words;    // words in use then
  static bool          _is_requested;
  static bool          _is_garbage_due; // the last collection deferred a marking for garbage
  static uint          _collections;
  static bool          _is_active;
  static H2Marks       _marks;
  static H2Marks       _pending;
  static Run*          _runs;           // by index of head
  static uint          _run_limit;
  static H2RegionQueue*  _queue;
  static H2WorkerCounts* _counts;
  static jlong         _start;
  static size_t        _start_words;      // words in use
  static volatile size_t _scanned_words;  // words of pending bits
  static volatile size_t _followed_objects; // objects followed in the pause
  static volatile size_t _again_objects;  // objects marked ahead and scanned again, once per card
  static volatile size_t _again_cards;

  static H2DeepMarkingPolicy::Heap heap_now();
  static H2DeepMarkingPolicy::Cause cause_now(bool last_resort);
  static H2DeepMarkingPolicy::Reason reason(bool last_resort);
  static bool may_have_much_garbage(const H2DeepMarkingPolicy::Heap& heap);
  static bool begin(bool may_go_on);
  // Returns NULL, or why the marks could not be created.
  static const char* prepare(uint run_limit);
  static void release();
  static bool claim(uint& index);
  static bool finish_scan(uint head);
  static void enqueue(uint head);
  static void enqueue_parts(const H2Region* r, oop array);
  static size_t follow_run(uint head, ParCompactionManager* cm);
  static size_t follow_part(uint index, ParCompactionManager* cm);
  static size_t look_again(uint index, ParCompactionManager* cm);
  static void verify_marks();
  static void log_ahead();
  static void extend_span(uint head, BitMap::idx_t bit);
  static BitMap::idx_t first_bit_of(uint head);

  // Returns true for the one caller that marks the object.
  static bool set_mark(oop obj);
  // Records a pending object of the run with that head. The run must be scanned after that.
  static void set_pending(uint head, oop obj);
  static oop take_pending(BitMap::idx_t bit);
  // Calls function(object) for the pending objects of a run, until it returns false.
  template <typename Function> static inline bool pending_do(uint head, Function function);
  static bool is_queued(uint head)      { return _runs[head]._state != Idle; }
  static void enqueue_if_pending(uint head);
  // Queues a run again that the thread has claimed, but not followed to its end.
  static void give_back(uint head);
  static void followed(uint head, size_t words) { _runs[head]._reachable_words += words; }

  // Whether the next collection marks through H2. At the end of a collection, is_due_next() is
  // exact. At its begin, may_be_due_next() is an estimate.
  static bool is_at_interval_next();
  static bool is_due_next()             { return is_at_interval_next() || _is_garbage_due || _policy.is_due_next(); }
  static bool may_be_due_next();

 public:
  // Requests a marking in the next major collection. Called at a safepoint.
  static void request()                 { _is_requested = true; }
  // Called before marking, after liveness was reset.
  static void begin_if_due(bool last_resort);
  static bool is_active()               { return _is_active; }
  // The time when the last marking through H2 ended (0: none), and the bytes in use then.
  static jlong ended_at()               { return _ended; }
  static size_t ended_bytes()           { return _ended_words * HeapWordSize; }
  // Whether p is an address in the bitmaps.
  static bool is_in_marks(const void* p) { return _marks.contains(p) || _pending.contains(p); }

  // Called by any number of workers.
  static void mark(oop obj);
  static bool is_marked(const void* obj) { return _marks.is_marked(obj); }
  // The size of the reachable objects in a run. Called after marking.
  static size_t reachable_words(uint head) { return _runs[head]._reachable_words; }
  static void follow(ParCompactionManager* cm);
  // The number of tasks that workers can take.
  static uint queued_count();

  // Ends the marking. Called after marking, and after dead regions were freed.
  static void finish(WorkGang* workers, uint freed);
  static void transfer_failed()         { _policy.transfer_failed(); }
  // Called at the end of a transfer. free_before: the number of free regions before it.
  static void transferred(uint free_before);
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2DEEPMARKING_HPP
