/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/g1ConcurrentMark.hpp"
#include "gc/g1/g1ConcurrentMarkBitMap.inline.hpp"
#include "gc/g1/g1OopClosures.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/g1/heapRegionRemSet.inline.hpp"
#include "gc/shared/cardTable.hpp"
#include "gc/terrace/far/farPageClosure.hpp"
#include "gc/terrace/far/farRequests.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/far/g1/farArrays.hpp"
#include "gc/terrace/far/g1/farG1Summaries.hpp"
#include "gc/terrace/far/g1/farRebuild.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/nonJavaThread.hpp"
#include "utilities/align.hpp"

// Rebuilds remembered sets like G1's own closure, and adds each reference to the summary of its
// page.
class FarSummaryClosure : public FarPageClosure {
  G1RebuildRemSetClosure* const _rebuild;
  const void*                   _referent; // slot of the referent, if the object is a java.lang.ref.Reference

  template <class T> void do_oop_work(T* p) {
    _rebuild->do_oop(p);
    add_slot(p);
    const oop obj = RawAccess<MO_RELAXED>::oop_load(p);
    if (obj == NULL) {
      return;
    }
    if (p != _referent) {
      if (leaves_page(obj)) {
        add_reference(p, obj);
      }
    } else if (leaves_page(obj)) {
      summary().add_referent(slot_of(p), FarPages::bit_of(cast_from_oop<void*>(obj)));
    } else {
      // The referent would be marked whenever its Reference is, and never be found dead.
      summary().refuse();
    }
  }

 public:
  FarSummaryClosure(G1RebuildRemSetClosure* rebuild) : _rebuild(rebuild), _referent(NULL) {}

  virtual void do_oop(oop* p)       { do_oop_work(p); }
  virtual void do_oop(narrowOop* p) { do_oop_work(p); }

  // Adds the slots of an array on the page.
  void do_slots(objArrayOop array, MemRegion part) { array->oop_iterate(this, part); }

  size_t do_object(oop obj) {
    const size_t words = obj->size();
    Klass* const klass = obj->klass();
    add_object(klass, words);
    const bool is_reference = klass->id() == InstanceRefKlassID;
    // Objects of the other classes with an id of their own keep metadata alive. Phantom and final references
    // release resources of the system, so their pages are read: a page of targets that another page names may
    // keep a dead referent alive.
    if (klass->is_instance_klass() && klass->id() != InstanceKlassID &&
        !(is_reference && InstanceKlass::cast(klass)->reference_type() <= REF_WEAK)) {
      summary().refuse();
    }
    _referent = is_reference ? java_lang_ref_Reference::referent_addr_raw(obj) : NULL;
    obj->oop_iterate(this);
    return words;
  }
};

// Old regions, and regions of humongous arrays of references that are live.
bool FarRebuild::may_summarize(const HeapRegion* region) {
  return region->is_old() ||
         FarArrays::array_of(region, G1CollectedHeap::heap()->concurrent_mark()->prev_mark_bitmap()) != NULL;
}

const FarRegionSummaries* FarRebuild::summaries_of(HeapRegion* region, size_t page) {
  const FarRegionSummaries* const summaries = FarSummaries::of_region(region->hrm_index());
  return summaries != NULL && summaries->has(page - FarPages::page_of(region->bottom())) ? summaries : NULL;
}

bool FarRebuild::is_summarized(HeapRegion* region, size_t page, const G1CMBitMap* bitmap) {
  const FarRegionSummaries* const summaries = summaries_of(region, page);
  return summaries != NULL && FarG1Summaries::describes(summaries, region, bitmap, page);
}

// Called before the pages are read, so that writes during and after the read are detected.
void FarRebuild::watch(HeapRegion* region, size_t first, size_t end) {
  const size_t bottom = FarPages::page_of(region->bottom());
  if (first == bottom) {
    FarSummaries::begin_region(region->hrm_index());
  }
  FarRegionSummaries* const before = FarSummaries::of_region(region->hrm_index());
  ResourceMark rm;
  ResourceBitMap written(end - first);
  const bool is_watched = FarWrites::watch(first, end, written);
  FarSummaries::growing(region->hrm_index())->set_open(is_watched);
  for (size_t page = first; before != NULL && page < end; page++) {
    if (!is_watched || written.at(page - first)) {
      before->drop_written(page - bottom);
    }
  }
}

void FarRebuild::begin(HeapRegion* region, MemRegion chunk, HeapWord* limit) {
  const size_t step = FarG1Summaries::pages_per_step();
  const bool is_first = is_aligned(chunk.start(), step * os::vm_page_size());
  if (is_first && FarMarking::needs_rebuild() && may_summarize(region)) {
    const size_t first = FarPages::page_of(chunk.start());
    watch(region, first, first + step);
  }
  if (is_first || chunk.start() >= FarMarking::requests_of(WorkerThread::current()->id()).until()) {
    ask_ahead(region, chunk, limit);
  }
}

// Requests pages of whole chunks up to the end of the step. It covers at least one chunk, and more
// if the request has space for their pages.
void FarRebuild::ask_ahead(HeapRegion* region, MemRegion chunk, HeapWord* limit) {
  const uint worker_id = WorkerThread::current()->id();
  const size_t step = FarG1Summaries::pages_per_step();
  const size_t first = FarPages::page_of(chunk.start());
  const size_t chunk_pages = MAX2(FarPages::page_of(chunk.last()) + 1 - first, (size_t)1);
  size_t end = MIN2(align_down(first, step) + step, FarPages::page_of(limit - 1) + 1);
  FarRequests& requests = FarMarking::requests_of(worker_id);
  FarMarking::end_request(worker_id);
  FarPages::refresh(first, end);
  // The bitmap has one mark for a humongous array, at its first word. So it does not tell whether
  // the other pages of the array are live.
  const bool is_array = region->is_humongous() && cast_to_oop(region->humongous_start_region()->bottom())->is_objArray();
  const G1CMBitMap* const bitmap = G1CollectedHeap::heap()->concurrent_mark()->prev_mark_bitmap();
  HeapWord* const tams = region->prev_top_at_mark_start();
  const bool is_marked = is_array && FarArrays::is_marked(region, bitmap);
  FarPageSet wanted;
  wanted.reset(align_down(first, FarPages::ChunkPages));
  FarRequest request(requests.size());
  for (size_t page = FarPages::next_absent(first, end); page < end; page = FarPages::next_absent(page + 1, end)) {
    HeapWord* const bottom = FarPages::bottom_of(page);
    HeapWord* const top = bottom + FarPages::words_per_page();
    const bool is_read = is_array ? !is_marked || !is_summarized(region, page, bitmap)
                                  : top > tams || (bitmap->get_next_marked_addr(bottom, top) < top && !is_summarized(region, page, bitmap));
    if (is_read) {
      if (!request.add(page) && page >= first + chunk_pages) {
        end = first + (page - first) / chunk_pages * chunk_pages;
        break;
      }
      wanted.add(page);
    }
  }
  FarStatistics::add_rebuild(requests.ask_for(wanted, end), 0);
  requests.set_until(FarPages::bottom_of(end));
}

void FarRebuild::give_back(MemRegion chunk) {
  const size_t given = FarPages::give_back(FarPages::page_of(chunk.start()), FarPages::page_of(chunk.last()) + 1);
  FarStatistics::add_rebuild(0, given);
}

FarRebuild::~FarRebuild() {
  if (FarMarking::is_rebuilding()) {
    give_back(_chunk);
    if (_is_last) {
      FarSummaries::end_region(_region->hrm_index());
    }
  }
}

// Adds the cards in these parts of the page at bottom to the remembered set. A part may lie on the
// next page.
void FarRebuild::remember(G1RebuildRemSetClosure* closure, HeapRegion* to, HeapWord* bottom, size_t parts) {
  const size_t part_size = os::vm_page_size() / FarTargets::PartsPerPage;
  for (size_t part = 0; parts >> part != 0; part++) {
    if ((parts >> part & 1) != 0) {
      char* const start = (char*)bottom + part * part_size;
      for (char* card = start; card < start + part_size; card += CardTable::card_size) {
        to->rem_set()->add_reference((narrowOop*)card, closure->_worker_id);
      }
    }
  }
}

// Returns the number of live words.
size_t FarRebuild::use_summary(G1RebuildRemSetClosure* closure, HeapRegion* region, size_t page) {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  const FarRegionSummaries* const summaries = FarSummaries::of_region(region->hrm_index());
  const size_t index = page - FarPages::page_of(region->bottom());
  HeapWord* const bottom = FarPages::bottom_of(page);
  FarSummaryReader summary(summaries->bytes(index), FarPages::bit_of(bottom));
  summary.skip_to_references();
  do {
    size_t slot;
    size_t target;
    while (summary.next_reference(slot, target)) {
      HeapWord* const obj = FarPages::object_at(target);
      if (!region->is_in_reserved(obj)) {
        // A young collection may have moved the object meanwhile. It then has remembered the new
        // location.
        HeapRegion* const to = heap->region_at_or_null(heap->addr_to_region(obj));
        if (to != NULL) {
          to->rem_set()->add_reference((narrowOop*)((char*)bottom + slot * FarSummaries::SlotSize), closure->_worker_id);
        }
      }
    }
    size_t first;
    size_t count;
    size_t parts;
    HeapRegion* last = region;
    while (summary.next_pages(first, count, parts)) {
      // All runs of a region have the same parts.
      HeapRegion* const to = heap->region_at_or_null(heap->addr_to_region(FarPages::bottom_of(first)));
      if (to != NULL && to != last && to != region) {
        remember(closure, to, bottom, parts);
      }
      last = to;
    }
  } while (summary.begin_referents());
  FarSummaries::keep(region->hrm_index(), index, summaries->bytes(index), summary.end(), summaries->crosses(index));
  return summary.words();
}

// Scans the part in mr of a reference array that begins before mr. Sets end to the end of the
// array.
size_t FarRebuild::scan_crossing_array(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, MemRegion mr,
                                       HeapWord*& end) {
  HeapWord* const start = region->block_start(mr.start());
  if (start == mr.start() || !bitmap->is_marked(start) || !cast_to_oop(start)->is_objArray()) {
    return 0;
  }
  end = start + cast_to_oop(start)->size();
  cast_to_oop(start)->oop_iterate(closure, mr);
  return mr.intersection(MemRegion(start, end)).word_size();
}

// Scans the part in mr of a live humongous array of references. Summaries of its pages count no
// object. The first page has the header, so it is read in each cycle and has no summary.
size_t FarRebuild::scan_array(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, MemRegion mr) {
  const objArrayOop array = FarArrays::array_of(region, bitmap);
  HeapWord* const start = cast_from_oop<HeapWord*>(array);
  const MemRegion part = mr.intersection(MemRegion(start, (size_t)array->size()));
  FarRegionSummaries* const growing = FarSummaries::growing(region->hrm_index());
  FarSummaryClosure summarizing(closure);
  for (size_t page = FarPages::page_of(mr.start()); FarPages::bottom_of(page) < part.end(); page++) {
    if (is_summarized(region, page, bitmap)) {
      use_summary(closure, region, page);
      continue;
    }
    summarizing.begin(page);
    summarizing.do_slots(array, part.intersection(MemRegion(FarPages::bottom_of(page), FarPages::bottom_of(page + 1))));
    if (growing->is_open() && page != FarPages::page_of(start)) {
      FarG1Summaries::add(region, page, summarizing.summary());
    } else {
      FarSummaries::count_refused();
    }
  }
  return part.word_size();
}

size_t FarRebuild::scan_chunk(G1RebuildRemSetClosure* closure, HeapRegion* region, const G1CMBitMap* bitmap, HeapWord* tams,
                              MemRegion mr) {
  const size_t region_bottom = FarPages::page_of(region->bottom());
  const size_t step = FarG1Summaries::pages_per_step();
  FarRegionSummaries* const growing = FarSummaries::growing(region->hrm_index());
  FarSummaryClosure summarizing(closure);
  HeapWord* const limit = MIN2(mr.end(), tams);
  size_t page = FarPages::page_of(mr.start());
  size_t words = 0;
  HeapWord* array_end = mr.start();    // end of an array that began before mr
  // A summarized page contains no part of an array that crosses the bounds of a chunk.
  if (mr.start() > region->bottom() && !growing->has(page - 1 - region_bottom) && !is_summarized(region, page, bitmap)) {
    words += scan_crossing_array(closure, region, bitmap, mr, array_end);
  }
  for (HeapWord* bottom = mr.start(); bottom < limit; bottom = FarPages::bottom_of(++page)) {
    if (is_summarized(region, page, bitmap)) {
      words += use_summary(closure, region, page);
      continue;
    }
    HeapWord* const top = FarPages::bottom_of(page + 1);
    HeapWord* const end = MIN2(top, limit);
    summarizing.begin(page);
    FarPageSummary& summary = summarizing.summary();
    if (!growing->is_open() || top > tams || array_end > bottom) {
      summary.refuse();
    }
    for (HeapWord* addr = bitmap->get_next_marked_addr(bottom, end); addr < end; ) {
      const oop obj = cast_to_oop(addr);
      HeapWord* const next = addr + obj->size();
      if (next > mr.end() && obj->is_objArray()) {
        summary.add_object(next - addr);
        summary.refuse();
        obj->oop_iterate(closure, mr);
        words += pointer_delta(mr.end(), addr);
      } else {
        words += summarizing.do_object(obj);
      }
      addr = next < end ? bitmap->get_next_marked_addr(next, end) : end;
    }
    if (summary.crosses() && (page + 1) % step == 0) {
      summary.refuse();                // the next page is not watched yet
    }
    if (!summary.is_refused() && summary.keeps_referent()) {
      summary.refuse();
    }
    if (!summary.is_refused() && summary.objects() > 0) {
      FarG1Summaries::add(region, page, summary);
    } else if (summary.objects() > 0) {
      FarSummaries::count_refused();
    }
  }
  return words;
}
