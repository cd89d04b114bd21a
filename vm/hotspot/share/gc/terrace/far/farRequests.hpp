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

#include "gc/terrace/far/farPages.hpp"
#include "utilities/globalDefinitions.hpp"

// One request as it grows, page by page in ascending order. Pages in small gaps are
// read along, and count.
class FarRequest {
  static const size_t None = ~(size_t)0;

  const size_t _most;
  size_t _count;
  size_t _last;

 public:
  FarRequest(size_t most) : _most(most), _count(0), _last(None) {}

  // False: the request would be too large with that page, and stays as it is. The
  // first page always has room.
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

// The requests of one worker for absent pages, and how large the next one may be.
//
// The system takes the memory for a request from what others have just made free.
// Where memory is very short, a large request takes what threads of the program wait
// for, and the pages leave again before the worker comes to them. So the first
// request is small. The next ones are twice as large each, as long as the pages are
// there when they are needed, and half as large when they are not.
//
// That pages have left again is told by the major faults of the worker: the map of
// absent pages has them as absent in any case until they are touched.
class FarRequests {
 public:
  static const size_t Least = 32;      // pages
  static const size_t Most = FarPages::ChunkPages;
  // All workers together may ask for so much at once: one part in so many of what is in memory.
  static const size_t ResidentPerRequest = 256;

 private:
  size_t _size;
  size_t _asked;                       // 0: none is under way
  size_t _refused;
  julong _faults;                      // of the worker, when it asked
  HeapWord* _until;                    // the rebuild has asked up to there

 public:
  size_t made;
  size_t largest;                      // pages
  size_t gone;                         // pages that were not there when they were needed

  FarRequests() : _size(Least), _asked(0), _refused(0), _faults(0), _until(NULL), made(0), largest(0), gone(0) {}

  // The most pages of a request, where so many pages of the process are in memory.
  static size_t most(size_t resident, uint workers) {
    return clamp(resident / ResidentPerRequest / workers, Least, Most);
  }

  // Pages that the next request may have.
  size_t size() const { return _size; }

  // Of the one that is under way.
  size_t pages() const { return _asked + _refused; }

  // The system was asked for so many pages, or refused to be.
  void begin(size_t asked, size_t refused, julong faults) {
    _asked = asked;
    _refused = refused;
    _faults = faults;
    if (pages() > 0) {
      made++;
      largest = MAX2(largest, pages());
    }
  }

  // The worker is through with the pages. True: that was a request, and its size may tell about the next one.
  bool end(julong faults, size_t most) {
    const size_t pages = this->pages();
    if (pages == 0) {
      return false;
    }
    // Its own tables may be absent, too: a few faults tell nothing.
    const size_t lost = MIN2(pages, _refused + (size_t)(faults - _faults));
    gone += lost;
    if (lost * 4 > pages) {
      _size /= 2;
    } else if (pages * 2 > _size) {
      _size *= 2;                      // it was used
    }
    _size = clamp(_size, Least, most);
    _asked = _refused = 0;
    return true;
  }

  // Nothing is known of the pages: the worker had to stop before.
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
