/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2RESIDENCYBUDGET_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2RESIDENCYBUDGET_HPP

#include "utilities/globalDefinitions.hpp"

// The budget for the part of H2 that stays in memory. The system does not say how much memory it
// leaves to H2, and the amount changes. So the budget is adapted, as TCP does for a link. Pages
// that stayed raise it a little, and evicted pages lower it by their size.
class H2ResidencyBudget {
  static const size_t GrowthFraction = 16;  // per pass over the kept regions
  // Some regions are always kept, because they show whether more could be.
  static const size_t MinBytes = 64 * M;

  size_t _bytes;
  size_t _kept;
  bool   _refused;                          // at the last request

 public:
  // The budget is unlimited until a page was evicted.
  H2ResidencyBudget() : _bytes(max_uintx), _kept(0), _refused(false) {}

  bool   is_limited() const                 { return _bytes != max_uintx; }
  size_t bytes() const                      { return _bytes; }
  size_t kept() const                       { return _kept; }

  // Called with the resident bytes when the system begins to evict. The budget becomes half of
  // them, because some must make way for the data that the program reads, and growing later is
  // cheaper than losing pages.
  void limit(size_t resident)               { _bytes = MAX2(resident / 2, MinBytes); }

  bool keep(size_t bytes) {
    _refused = _kept + bytes > _bytes;
    if (_refused) {
      return false;
    }
    _kept += bytes;
    return true;
  }
  void drop(size_t bytes)                   { _kept -= bytes; }

  // Called if a kept region was found in memory.
  void stayed(size_t bytes) {
    if (_refused) {                         // the budget is the bound
      _bytes += bytes / GrowthFraction;
    }
  }
  // Called if a part of a kept region was missing. The region is then no longer kept.
  void left(size_t bytes, size_t missing) {
    drop(bytes);
    _bytes = MAX2(_bytes - MIN2(_bytes, missing), MinBytes);
  }
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2RESIDENCYBUDGET_HPP
