/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARREQUESTS_HPP
#define SHARE_GC_TERRACE_FAR_FARREQUESTS_HPP

#include "gc/terrace/far/farFaults.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "utilities/globalDefinitions.hpp"

// One request, to which pages are added in ascending order. Pages in small gaps are read with them,
// and count.
class FarRequest {
  static const size_t None = ~(size_t)0;

  const size_t _most;
  size_t _count;
  size_t _last;

 public:
  FarRequest(size_t most) : _most(most), _count(0), _last(None) {}

  // Adds a page. Returns false and changes nothing if the request would become too large. The first
  // page is always accepted.
  bool add(size_t page) {
    assert(_last == None || page > _last, "pages come in ascending order");
    const size_t more = _last != None && page - _last - 1 <= FarPages::MaxGap ? page - _last : 1;
    if (_count > 0 && _count + more > _most) {
      return false;
    }
    _count += more;
    _last = page;
    return true;
  }

  size_t count() const { return _count; }
};

// The requests of one worker for absent pages, and the size limit of its next request.
//
// The system fills a request with memory that it has just reclaimed. If memory is very short, a
// large request takes memory that threads of the program wait for, and its pages are paged out
// before the worker uses them. So the first request is small. The limit doubles as long as the
// pages are present when they are needed, and halves when they are not.
//
// The worker's major faults show that pages were paged out again. The map of absent pages does not
// show it, because the pages count as absent until they are touched.
class FarRequests {
 public:
  static const size_t Least = 32;      // pages
  static const size_t Most = FarPages::ChunkPages;
  // All workers together may request this fraction of the resident pages at once.
  static const size_t ResidentPerRequest = 256;

 private:
  size_t _size;
  size_t _asked;                       // 0 if no request is active
  size_t _refused;
  julong _faults;                      // of the worker, before the request
  HeapWord* _until;                    // end of the part that the rebuild has requested

 public:
  size_t made;
  size_t largest;                      // pages
  size_t gone;                         // pages that were absent when they were needed

  FarRequests() : _size(Least), _asked(0), _refused(0), _faults(0), _until(NULL), made(0), largest(0), gone(0) {}

  // The size limit of a request in pages, for this number of resident pages and workers.
  static size_t most(size_t resident, uint workers) {
    return clamp(resident / ResidentPerRequest / workers, Least, Most);
  }

  // The size limit of the next request in pages.
  size_t size() const { return _size; }

  // The size of the active request.
  size_t pages() const { return _asked + _refused; }

  // Called after a request for pages. The system accepted and refused these numbers.
  void begin(size_t asked, size_t refused, julong faults) {
    _asked = asked;
    _refused = refused;
    _faults = faults;
    if (pages() > 0) {
      made++;
      largest = MAX2(largest, pages());
    }
  }

  // Prefetches the absent pages of the set below limit, and treats them as present. Called by the worker. Returns the
  // number that the system accepted.
  size_t ask_for(FarPageSet& wanted, size_t limit) {
    size_t refused = 0;
    const julong faults = FarFaults::of_this_thread();
    const size_t asked = FarPages::ask_for(wanted, limit, refused);
    begin(asked, refused, faults);
    return asked;
  }

  // Called when the worker has processed the pages. Returns false if there was no request.
  bool end(julong faults, size_t most) {
    const size_t pages = this->pages();
    if (pages == 0) {
      return false;
    }
    // A few faults do not shrink the next request, because the worker's own tables may be absent, too.
    const size_t lost = MIN2(pages, _refused + (size_t)(faults - _faults));
    gone += lost;
    if (lost * 4 > pages) {
      _size /= 2;
    } else if (pages * 2 > _size) {
      _size *= 2;                      // at least half of the limit was used
    }
    _size = clamp(_size, Least, most);
    _asked = _refused = 0;
    return true;
  }

  // Called when the worker stops early, so the request says nothing about its size.
  void abandon() { _asked = _refused = 0; }

  HeapWord* until() const          { return _until; }
  void set_until(HeapWord* until)  { _until = until; }

  void add(const FarRequests& other) {
    made += other.made;
    largest = MAX2(largest, other.largest);
    gone += other.gone;
  }
};

#endif // SHARE_GC_TERRACE_FAR_FARREQUESTS_HPP
