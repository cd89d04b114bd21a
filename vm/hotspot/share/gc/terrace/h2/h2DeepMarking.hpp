/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2DEEPMARKING_HPP
#define SHARE_GC_TERRACE_H2_H2DEEPMARKING_HPP

#include "gc/terrace/h2/h2DeepMarkingPolicy.hpp"
#include "gc/terrace/h2/h2GarbageBound.hpp"
#include "gc/terrace/h2/h2Marks.hpp"
#include "gc/terrace/h2/h2Region.hpp"
#include "gc/terrace/h2/h2RegionQueue.hpp"
#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"

class H2WorkerCounts;
class ParCompactionManager;
class WorkGang;

// Marking of a major collection that does not stop at H2: a rare one, for
// liveness by regions keeps too much in the long run. It follows the objects of
// H2 that are reachable, one by one, so that
//
//   - a run of regions without a reachable object dies, whatever once referred
//     to it;
//   - garbage in a live run no longer keeps objects of H1, class loaders or
//     other runs alive. Its references dangle, so nobody follows them (H2LiveMap).
//
// Dependencies and class loaders of runs are found anew on the way.
//
// A worker takes a run and follows references inside of it depth first. What
// other runs refer to is noted as pending; the run is then queued again:
//
//   Idle --mark--> Queued --claim--> Scanning --all followed--> Idle
//                                    Scanning --mark--> Again --sweep--> Scanning
//
// The parts that an array has in the other regions of its run are queued with
// their regions' indices when the array is reached, for any worker. What they refer
// to in the run is pending.
//
// So pages are read run by run, and no mark stack outgrows a run. Marks and
// pending objects are two H2Marks.
//
// H2AheadMarker may have marked beside the program before.
class H2DeepMarking : public AllStatic {
  friend class H2AheadClosure;
  friend class H2AheadMarker;
  friend class H2RunClosure;
  friend class H2SettleTask;

  enum RunState { Idle, Queued, Scanning, Again };

  struct Run {
    volatile int    _state;
    // Where in it something is pending: no bit outside of the span is, so that
    // a scan for one object does not read all bits of the run.
    volatile julong _span;
    // Changed by the worker that scans it.
    size_t          _reachable_words;
  };

  // Words of the bitmap from the run's first one on, the lowest and the one
  // after the highest; in one piece, since any worker extends it.
  static const julong EmptySpan = (julong)max_juint << 32;
  static julong span_of(uint low, uint high)    { return (julong)low << 32 | high; }
  static uint   low_of(julong span)             { return (uint)(span >> 32); }
  static uint   high_of(julong span)            { return (uint)span; }

  static H2DeepMarkingPolicy _policy;
  static H2GarbageBound _garbage_bound;
  static jlong         _ended;          // the last one, in nanoseconds; 0: there was none
  static size_t        _ended_words;    // in use then
  static bool          _is_requested;
  static bool          _is_garbage_due; // the last collection has left it to the next one
  static uint          _collections;
  static bool          _is_active;
  static H2Marks       _marks;
  static H2Marks       _pending;
  static Run*          _runs;           // by index of head
  static uint          _run_limit;
  static H2RegionQueue*  _queue;
  static H2WorkerCounts* _counts;
  static jlong         _start;
  static size_t        _start_words;      // in use
  static volatile size_t _scanned_words;  // of pending bits
  static volatile size_t _followed_objects; // in the pause
  static volatile size_t _again_objects;  // marked ahead and looked at again, once for each card
  static volatile size_t _again_cards;

  static H2DeepMarkingPolicy::Heap heap_now();
  static H2DeepMarkingPolicy::Cause cause_now(bool last_resort);
  static H2DeepMarkingPolicy::Reason reason(bool last_resort);
  static bool may_have_much_garbage(const H2DeepMarkingPolicy::Heap& heap);
  static bool begin(bool may_go_on);
  // NULL, or why there are no marks.
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

  // True for the one caller who marks it.
  static bool set_mark(oop obj);
  // Of the run with that head; its turn must come yet.
  static void set_pending(uint head, oop obj);
  static oop take_pending(BitMap::idx_t bit);
  // Calls function(object) for what is pending in a run, until that returns false.
  template <typename Function> static inline bool pending_do(uint head, Function function);
  static bool is_queued(uint head)      { return _runs[head]._state != Idle; }
  static void enqueue_if_pending(uint head);
  // A thread gives back a run that it has claimed, but not followed to its end.
  static void give_back(uint head);
  static void followed(uint head, size_t words) { _runs[head]._reachable_words += words; }

  // Whether the collection after this one, which ends, marks through H2; or may do,
  // as far as is known when this one begins.
  static bool is_at_interval_next();
  static bool is_due_next()             { return is_at_interval_next() || _is_garbage_due || _policy.is_due_next(); }
  static bool may_be_due_next();

 public:
  // For the next major collection. At a safepoint.
  static void request()                 { _is_requested = true; }
  // Before marking, after liveness was reset.
  static void begin_if_due(bool last_resort);
  static bool is_active()               { return _is_active; }
  // The last one: when it ended, 0 if there was none, and what was in use then.
  static jlong ended_at()               { return _ended; }
  static size_t ended_bytes()           { return _ended_words * HeapWordSize; }
  // Whether this is an address of the marks.
  static bool is_in_marks(const void* p) { return _marks.contains(p) || _pending.contains(p); }

  // Any number of workers.
  static void mark(oop obj);
  static bool is_marked(const void* obj) { return _marks.is_marked(obj); }
  // Of objects in a run. After marking.
  static size_t reachable_words(uint head) { return _runs[head]._reachable_words; }
  static void follow(ParCompactionManager* cm);
  // What workers can take.
  static uint queued_count();

  // After marking, and after dead regions were freed; ends it.
  static void finish(WorkGang* workers, uint freed);
  static void transfer_failed()         { _policy.transfer_failed(); }
  // A transfer has ended; so many regions were free before.
  static void transferred(uint free_before);
};

#endif // SHARE_GC_TERRACE_H2_H2DEEPMARKING_HPP
