/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2HEAP_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2HEAP_HPP

#include "gc/shared/cardTable.hpp"
#include "gc/terrace/h2/space/h2Region.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "memory/memRegion.hpp"
#include "oops/oopsHierarchy.hpp"

class H2Access;
class H2RegionListener;
class H2SpaceReturner;
class outputStream;
class ReservedSpace;

// The second heap. It is a file that is mapped below H1 in one reservation:
//
//   [ H2 | old | young ]
//
// So one-sided "is young" tests and the card-marking barrier work for H2 without a change. H2 is
// divided into regions. The collector does not scan a region, except for its cards (TeraHeap,
// section 3).
class H2Heap {
  friend class H2AgentTable;

  // An object, because a pointer to it would be read for each slot.
  static H2Heap _heap;

  // Where the regions are. Constant after the start of the VM.
  HeapWord* _bottom;
  HeapWord* _end;
  size_t    _region_words;
  int       _log_region_words;
  uint      _region_count;
  H2Region* _regions;

  uint      _free_count;
  uint      _search_start;       // all regions below are in use
  uint      _committed_count;    // tables exist for regions below this
  H2RegionListener* _listeners;
  H2Access*         _access;
  H2SpaceReturner*  _space_returner;

  // The state of a marking.
  H2Region* volatile _newly_live;
  volatile uint _newly_live_count;   // at least the number of regions in that list

  // Transfers leave this fraction of the regions free, because a full H2 could not be evacuated.
  static const uint ReserveFraction = 64;
  static const uint LeastWithReserve = 16;
  uint reserve_count() const {
    return !H2Evacuate || _region_count < LeastWithReserve ? 0 : MAX2(_region_count / ReserveFraction, 1u);
  }

  NONCOPYABLE(H2Heap);

  constexpr H2Heap() :
    _bottom(NULL), _end(NULL), _region_words(0), _log_region_words(0), _region_count(0), _regions(NULL),
    _free_count(0), _search_start(0), _committed_count(0), _listeners(NULL), _access(NULL), _space_returner(NULL),
    _newly_live(NULL), _newly_live_count(0) {}

  const char* allocate(uint first, uint count, bool zeroed);
  void close(H2Region* r);
  void release(MemRegion space);
  template <typename Predicate> uint free_if(Predicate is_free, const char* why);

 public:
  static H2Heap& heap()                { return _heap; }

  // Takes the H2 part of the reservation, before any card table exists.
  void reserve(HeapWord* bottom, size_t byte_size);
  // Maps the file. If that fails, ends the VM with a message that names the flag. have_own_advice says that
  // regions get advice for reads of their own when they are opened.
  void initialize(bool have_own_advice);
  // Called at the start of the VM.
  void add_listener(H2RegionListener* listener);

  static HeapWord* bottom()            { return _heap._bottom; }
  static size_t capacity()             { return pointer_delta(_heap._end, _heap._bottom) * HeapWordSize; }
  static size_t region_words()         { return _heap._region_words; }
  static uint   region_count()         { return _heap._region_count; }
  uint   free_count() const            { return _free_count; }
  // The error of open() and of transfers if there is no free space.
  static const char* const FullError;
  // The number of regions that a transfer may open.
  uint   open_count() const            { return _free_count - MIN2(_free_count, reserve_count()); }
  // All regions that were ever in use are below this index.
  uint   committed_count() const       { return _committed_count; }
  size_t used() const;                 // bytes of objects

  static uint index_of(const void* p) {
    return (uint)(pointer_delta((HeapWord*)align_down(p, HeapWordSize), _heap._bottom) >> _heap._log_region_words);
  }
  static uint head_index_of(const void* p) {
    const uint index = index_of(p);
    const H2Region* const r = &_heap._regions[index];
    return r->_state == H2Region::Continuation ? r->_head_index : index;
  }
  static uint head_index_of(oop obj)   { return head_index_of(cast_from_oop<void*>(obj)); }
  static H2Region* region(uint index)  { return &_heap._regions[index]; }
  static H2Region* head_of(const void* p) { return region(head_index_of(p)); }
  static uint index_of_region(const H2Region* r) { return (uint)(r - _heap._regions); }
  static HeapWord* bottom_of(const H2Region* r) {
    return _heap._bottom + ((size_t)index_of_region(r) << _heap._log_region_words);
  }
  // The end of the run whose head is r.
  static HeapWord* end_of(const H2Region* r) {
    return bottom_of(r) + ((size_t)r->run_length() << _heap._log_region_words);
  }
  // The head of the run that r belongs to.
  static H2Region* head_of_run(H2Region* r) {
    return r->_state == H2Region::Continuation ? &_heap._regions[r->_head_index] : r;
  }
  // The used part of the run that is in r.
  static MemRegion used_part(H2Region* r) {
    HeapWord* const bottom = bottom_of(r);
    return MemRegion(bottom, clamp(head_of_run(r)->top(), bottom, bottom + _heap._region_words));
  }
  bool is_in_used(const void* p) const;

  // Opens a run of regions with clean cards and allocated space on the device. If H2 or the device
  // is full, returns NULL and sets *error to a message. Only an evacuation may open the last
  // regions, because it frees others. Memory for the program is zeroed.
  enum Purpose { ForTransfer, ForEvacuation, ForProgram };
  H2Region* open(uint run_length, jlong label, const char** error, Purpose purpose = ForTransfer);
  void free(H2Region* r);

  template <typename Function> inline void heads_do(Function function) const;

  // Liveness during marking. These functions may be called by any number of workers.
  void reset_liveness();
  void mark_live(uint head_index);
  // Returns the regions of a run one by one, so that several workers share a run.
  H2Region* claim_newly_live();
  uint newly_live_count() const        { return _newly_live_count; }
  // These return the number of freed regions.
  uint free_dead();
  uint free_evacuated();

  HeapWord* block_start(const void* p) const;
  void print_on(outputStream* st) const;
};

template <typename Function>
inline void H2Heap::heads_do(Function function) const {
  for (uint i = 0; i < _committed_count; i++) {
    if (_regions[i].is_head()) {
      function(&_regions[i]);
    }
  }
}

#endif // SHARE_GC_TERRACE_H2_SPACE_H2HEAP_HPP
