/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARSWEEP_INLINE_HPP
#define SHARE_GC_TERRACE_FAR_FARSWEEP_INLINE_HPP

#include "gc/terrace/far/farSweep.hpp"
#include "utilities/align.hpp"

// Returns false if the worker must stop before the page is complete.
template <typename Visitor>
bool FarSweep::process_page(size_t page, Visitor& visitor) {
  HeapWord* const end = FarPages::bottom_of(page + 1);
  for (HeapWord* obj = FarDeferred::next(FarPages::bottom_of(page), end); obj < end;
       obj = FarDeferred::next(obj + MinObjAlignment, end)) {
    if (visitor.should_stop()) {
      FarDeferred::add_page(page);
      return false;
    }
    if (FarDeferred::take(obj)) {
      visitor.process(obj);
    }
  }
  visitor.end_page();
  return true;
}

// Processes deferred objects whose pages have become present. Returns false if there were none.
template <typename Visitor>
bool FarSweep::drain_present(Worker* worker, Visitor& visitor) {
  const size_t count = FarPages::count();
  bool found = false;
  size_t page = FarDeferred::next_page(0);
  while (page < count && !visitor.should_stop()) {
    if (FarPages::is_absent(page)) {
      page = FarPages::next_present(page);
    } else {
      if (FarDeferred::take_page(page)) {
        found = true;
        worker->_counts.present_pages++;
        worker->_processing.reset(align_down(page, FarPages::ChunkPages));
        worker->_processing.add(page);
        process_page(page, visitor);
      }
      page++;
    }
    page = page < count ? FarDeferred::next_page(page) : count;
  }
  return found;
}

template <typename Visitor>
void FarSweep::drain_next(uint worker_id, Visitor& visitor) {
  Worker* const w = &worker(worker_id);
  FarPageSet taken;
  size_t first;
  const size_t limit = take_next(w, taken, first);
  if (limit == first) {
    return;                            // other workers have taken the remaining pages
  }
  bool complete = true;
  for (size_t page = taken.next(first); page < limit; page = taken.next(page + 1)) {
    complete = process_page(page, visitor) && complete;
  }
  if (complete) {
    end_request(worker_id);
    w->_counts.given_back += FarPages::give_back(first, limit);
  } else {
    w->_requests.abandon();
    Atomic::store(&_cursor, first);    // the requested pages are being read, so continue here
  }
}

template <typename Visitor>
void FarSweep::drain(uint worker_id, Visitor& visitor) {
  if (visitor.should_stop() || (visitor.may_wait() && is_held_back())) {
    return;
  }
  Worker* const w = &worker(worker_id);
  const bool look = _is_map_new && Atomic::cmpxchg(&_is_map_new, true, false);
  if (!look || !drain_present(w, visitor)) {
    drain_next(worker_id, visitor);
  }
  w->_processing.reset(0);
}

#endif // SHARE_GC_TERRACE_FAR_FARSWEEP_INLINE_HPP
