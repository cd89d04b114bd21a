/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARPOLICY_HPP
#define SHARE_GC_TERRACE_FAR_FARPOLICY_HPP

#include "memory/allocation.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// Decides how long marking may defer absent objects, by the free part of the heap (MemLiner,
// section 4.3). With less free space, marking must end sooner.
class FarPolicy : public CHeapObj<mtGC> {
 public:
  enum Zone {
    Freely,                            // an object may be deferred any number of times
    Once,                              // pages that the sweep has passed are not deferred again
    Never
  };

 private:
  const size_t    _page_count;
  volatile Zone   _zone;
  volatile size_t _swept;              // pages below were swept; all pages after the first sweep
  volatile size_t _from;

  void set_from() {
    Atomic::store(&_from, _zone == Freely ? 0 : _zone == Once ? Atomic::load(&_swept) : _page_count);
  }

 public:
  FarPolicy(size_t page_count) : _page_count(page_count), _zone(Freely), _swept(0), _from(0) {}

  static Zone zone_of(size_t free, size_t total, uintx freely_above, uintx once_above) {
    return free * 100 > total * freely_above ? Freely : free * 100 > total * once_above ? Once : Never;
  }

  // Called when a marking begins.
  void begin() {
    Atomic::store(&_swept, (size_t)0);
    set_from();
  }

  void set_zone(Zone zone) {
    _zone = zone;
    set_from();
  }

  // Called when the sweep has reached this page.
  void swept(size_t to) {
    if (to > Atomic::load(&_swept)) {
      Atomic::store(&_swept, to);
      set_from();
    }
  }

  Zone zone() const                 { return _zone; }
  bool may_defer(size_t page) const { return page >= Atomic::load(&_from); }

  static const char* name(Zone zone) { return zone == Freely ? "freely" : zone == Once ? "once" : "never"; }
};

#endif // SHARE_GC_TERRACE_FAR_FARPOLICY_HPP
