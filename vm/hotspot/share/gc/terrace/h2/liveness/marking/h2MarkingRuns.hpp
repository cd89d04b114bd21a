/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGRUNS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGRUNS_HPP

#include "gc/terrace/h2/space/h2Marks.hpp"
#include "gc/terrace/h2/space/h2RegionQueue.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"

// The marks of a marking through H2, and the runs of regions with objects that it has to follow.
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
class H2MarkingRuns {
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

  static H2MarkingRuns _current;

  H2Marks         _marks;
  H2Marks         _pending;
  Run*            _runs;               // by index of head
  uint            _limit;
  H2RegionQueue*  _queue;
  volatile size_t _scanned_words;      // words of pending bits

  void extend_span(uint head, BitMap::idx_t bit);
  static BitMap::idx_t first_bit_of(uint head);
  oop take_pending(BitMap::idx_t bit);

 public:
  H2MarkingRuns() : _runs(NULL), _limit(0), _queue(NULL), _scanned_words(0) {}

  // Those of the current marking, or of the one that was begun ahead.
  static H2MarkingRuns& current()       { return _current; }

  // For regions below limit. Returns NULL, or why the marks could not be created.
  const char* prepare(uint limit);
  void release();
  // Regions with this index or a higher one were opened later.
  uint limit() const                    { return _limit; }

  H2Marks* marks()                      { return &_marks; }
  bool is_marked(const void* obj) const { return _marks.is_marked(obj); }
  // Whether p is an address in the bitmaps.
  bool contains(const void* p) const    { return _marks.contains(p) || _pending.contains(p); }
  const char* writeback_error() const   { return _pending.writeback_error(); }

  // Returns true for the one caller that marks the object.
  bool set_mark(oop obj);
  // Records a pending object of the run with that head. The run must be scanned after that.
  void set_pending(uint head, oop obj);
  // Marks an object that any worker follows later.
  void mark(oop obj);
  // Calls function(object) for the pending objects of a run, until it returns false.
  template <typename Function> inline bool pending_do(uint head, Function function);
  size_t scanned_words() const          { return _scanned_words; }
  void reset_scanned_words()            { _scanned_words = 0; }

  // Takes a run, or a part of an array. Returns false if there is none.
  bool claim(uint& index);
  // Returns false if more objects are pending.
  bool finish_scan(uint head);
  void enqueue(uint head);
  void enqueue_part(uint index);
  void enqueue_if_pending(uint head);
  // Queues a run again that the thread has claimed, but not followed to its end.
  void give_back(uint head);
  bool is_queued(uint head) const       { return _runs[head]._state != Idle; }
  uint queued_count() const             { return _queue->length(); }

  void followed(uint head, size_t words) { _runs[head]._reachable_words += words; }
  // The size of the reachable objects in a run. Called after marking.
  size_t reachable_words(uint head) const { return _runs[head]._reachable_words; }
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKINGRUNS_HPP
