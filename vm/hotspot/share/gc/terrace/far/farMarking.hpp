/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARMARKING_HPP
#define SHARE_GC_TERRACE_FAR_FARMARKING_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSummaryMarking.hpp"
#include "oops/oopsHierarchy.hpp"

class FarPolicy;
class FarRequests;
class G1CMBitMap;
class G1CMTask;
class G1ConcurrentMark;
class JavaThread;
class outputStream;

// Concurrent marking of G1 that leaves absent pages alone (after MemLiner, Wang
// et al., OSDI '22, section 4). An object on an absent page is deferred instead of
// being marked or scanned: it gets a bit in a table, and its page one in another.
// When a worker has nothing else to do, it drains deferred objects: first those
// whose pages have come into memory meanwhile, which the program did; then, in
// the order of addresses, the others, up to a chunk at a time: ask the system for
// wanted pages, process them, give back what only the collector wanted.
//
// The bit means: mark the object, if it is not marked, and scan it. Marking
// twice has no effect, so a bit that is set needlessly costs time only.
//
// Nothing is lost: whoever sets a bit drains before it offers termination, and
// whoever takes a page drains again. A marking that starts over after an
// overflow keeps the bits; one that a full collection aborts drops them. A
// deferred object may be reclaimed (humongous objects, by a young collection);
// its address is then not below the region's top at mark start, and is skipped.
//
// A page that was not written since the previous cycle is not read at all: it is
// marked from its summary (FarSummaryMarking). That is the first thing a worker
// does that has nothing else to do.
//
// Only between begin and end, where only concurrent workers mark: never in a pause.
class FarMarking : public AllStatic {
  class Worker;

  static volatile bool   _active;      // from the first absent page on, or the first that is marked from its summary
  static volatile bool   _marking;
  static bool            _rebuilding;
  static bool            _has_cycle;   // begun with marking: G1 also has cycles that mark nothing

  static FarBits         _objects;
  static FarBits         _pages;       // with deferred objects
  static volatile size_t _page_count;  // of them
  static volatile size_t _cursor;      // the sweep goes on with this page
  static volatile bool   _is_map_new;  // since the last look for pages that have become present
  static jlong           _begin;
  static size_t          _absent_at_begin;
  static volatile size_t _most_asked;  // pages of a request
  static FarPolicy*      _policy;
  static Worker*         _workers;
  static uint            _worker_count;
  // NULL while far memory is off.
  static G1ConcurrentMark* volatile _cm;
  // If it may turn itself on, and has not.
  static G1ConcurrentMark* _waiting;
  static const G1CMBitMap* _first_bitmap;
  static MemRegion       _bitmaps[2];  // their memory

  static const char* allocate();
  static bool turn_on(G1ConcurrentMark* cm);
  static bool turn_on_if_short();
  static void refresh_policy();
  static void activate_if_absent();
  static void page_out_some();

  static bool defer(uint worker_id, const void* obj, bool is_marked);
  static void add_page(size_t page);
  static bool take_page(size_t page);

  static void process_object(G1CMTask* task, HeapWord* addr);
  static bool process_page(G1CMTask* task, Worker* worker, size_t page);
  static bool drain_present(G1CMTask* task, Worker* worker);
  static void drain_next_pages(G1CMTask* task, Worker* worker);
  static bool is_held_back();
  static bool drain_slow(G1CMTask* task);
  static bool steps_over_slow(G1CMTask* task, HeapWord* limit);
  static void drop_all();
  static bool discards_slow(const G1CMBitMap* bitmap);

 public:
  // The hooks of marking. obj lies below the top at mark start of its region.
  // True: leave it alone, it comes later.
  static bool defers_mark(uint worker_id, oop obj) {
    if (!_active) {
      return false;
    }
    const size_t page = FarPages::page_of(cast_from_oop<void*>(obj));
    if (FarSummaryMarking::contains(page)) {
      FarSummaryMarking::reach(page);
      return true;
    }
    return FarPages::is_absent(page) && defer(worker_id, cast_from_oop<void*>(obj), false);
  }
  // obj is marked.
  static bool defers_scan(uint worker_id, oop obj) {
    if (!_active) {
      return false;
    }
    const size_t page = FarPages::page_of(cast_from_oop<void*>(obj));
    return FarSummaryMarking::contains(page) ||
           (FarPages::is_absent(page) && defer(worker_id, cast_from_oop<void*>(obj), true));
  }
  // To look at addr would read its page in, or it is marked from the page's summary.
  static bool is_absent(const void* addr) {
    return _active && (FarPages::is_absent_at(addr) || FarSummaryMarking::contains(FarPages::page_of(addr)));
  }

  // A marking step that ends within a region continues after the object at the
  // finger. If that is absent, its size is not known: continue at the next address
  // where an object may start.
  static bool steps_over(G1CMTask* task, HeapWord* limit) { return _active && steps_over_slow(task, limit); }

  // A worker has nothing else to do. True: there is, or was, more; come again
  // before you offer termination.
  static bool drain(G1CMTask* task)       { return _active && drain_slow(task); }

  // When the heap is there. With UseFarMemory it is on from then on. Unless that was given
  // as false, it turns itself on at the first marking that begins while a part of the
  // process is swapped out, and its memory is limited.
  static void initialize(G1ConcurrentMark* cm, MemRegion first_bitmap, MemRegion second_bitmap);

  // By the thread that coordinates marking, around it, and at the end of a cycle.
  static void begin();
  static void end();
  static void end_cycle();

  // At the end of a cycle, instead of clearing a mark bitmap, which would take memory for
  // all of it. False: clear it.
  static bool discards(const G1CMBitMap* bitmap) { return _cm != NULL && discards_slow(bitmap); }

  // The mark bitmap of the last complete marking: how much of the heap one of its pages
  // covers, and the pages for a part of the heap.
  static size_t bytes_per_bitmap_page();
  static MemRegion bitmap_pages_of(MemRegion part);

  static bool is_rebuilding()             { return _rebuilding; }
  static size_t deferred_pages()          { return _page_count; }
  // For Terrace.far. Asks the system which pages are absent.
  static void print_on(outputStream* out, JavaThread* thread);

  // Of a concurrent worker: what it asks the system for.
  static FarRequests& requests_of(uint worker_id);
  // Those of its pages that it asked for are processed.
  static void end_request(uint worker_id);

  // Summaries are taken when remembered sets are rebuilt, even if no region needs that.
  static bool needs_rebuild();

  // Objects by number.
  static size_t bit_of(const void* obj)   { return pointer_delta((HeapWord*)obj, FarPages::bottom_of(0)) >> LogMinObjAlignment; }
  static HeapWord* object_at(size_t bit)  { return FarPages::bottom_of(0) + (bit << LogMinObjAlignment); }
  // A worker must let go.
  static bool should_stop(G1CMTask* task);

  // By FarRefresher.
  static bool is_marking()                { return _marking; }
  static void refresh();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_FARMARKING_HPP
