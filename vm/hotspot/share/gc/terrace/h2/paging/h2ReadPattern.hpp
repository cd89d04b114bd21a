/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2READPATTERN_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2READPATTERN_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Finds out how the program reads the objects of a label: in order, or single objects
// at random. Observations that contradict the current mode are evidence for the other
// mode, and observations that confirm it reduce the evidence. Enough of it changes the
// mode.
//
// If a change did not last, the same change needs twice the evidence next time.
class H2ReadPattern {
 public:
  enum Mode : uint8_t { Sequential, Random };

 private:
  static const int LeastEvidence = 8;
  static const int MostEvidence = 128;
  // A change lasts if it is not undone within the first number of observations. After the
  // second number, earlier changes that did not last no longer count.
  static const int ShortStay = 16;
  static const int LongStay = 256;

  Mode _mode;
  bool _has_changed;
  int  _evidence;               // for the other mode
  int  _needed[2];              // evidence needed to leave a mode
  int  _observations;           // since the last change

 public:
  H2ReadPattern(Mode mode = Sequential) : _mode(mode), _has_changed(false), _evidence(0), _observations(0) {
    _needed[Sequential] = LeastEvidence;
    _needed[Random] = LeastEvidence;
  }

  Mode mode() const             { return _mode; }
  // The evidence that is needed to change the mode.
  int  needed() const           { return _needed[_mode]; }

  // Returns whether the mode changes. weight: the number of observations that this one counts as.
  bool observe(Mode seen, int weight = 1) {
    _observations = MIN2(_observations + 1, LongStay);
    if (seen == _mode) {
      _evidence = MAX2(_evidence - weight, 0);
      return false;
    }
    _evidence += weight;
    if (_evidence < _needed[_mode]) {
      return false;
    }
    if (_has_changed && _observations < ShortStay) {
      _needed[seen] = MIN2(2 * _needed[seen], MostEvidence);
    } else if (_observations == LongStay) {
      _needed[seen] = LeastEvidence;
    }
    _mode = seen;
    _has_changed = true;
    _evidence = 0;
    _observations = 0;
    return true;
  }
};

// Evidence from the position in a huge page at which the program waited.
class H2HugePageEntry : public AllStatic {
 public:
  // A pass enters a huge page near its start. If an object crosses the boundary, the fault may be just before the
  // boundary. At the start of a structure, a pass enters elsewhere.
  static H2ReadPattern::Mode mode_of(size_t offset, size_t huge_page) {
    const bool at_start = offset < huge_page / 8 || offset >= huge_page - 4 * K;
    return at_start ? H2ReadPattern::Sequential : H2ReadPattern::Random;
  }
};

// Evidence from the pages of a window of H2 that arrived in memory because the program accessed them.
class H2Arrivals : public AllStatic {
  // Random reads rarely fill a window that lacks at least this many pages.
  static const size_t LeastClear = 128;
  static const int ClearWeight = 4;

 public:
  // With fewer missing pages, there is no evidence.
  static const size_t LeastMissing = 32;

  // Returns whether there is evidence. missing: absent pages in the window of a page fault. arrived: pages of these
  // that arrived soon after it. elsewhere: pages that arrived meanwhile in the window of an earlier page fault. A
  // pass fills its window, and no longer reads earlier ones.
  static bool tell(size_t missing, size_t arrived, size_t elsewhere, H2ReadPattern::Mode* mode) {
    if (missing < LeastMissing) {
      return false;
    }
    const bool fills = arrived >= missing / 4 && arrived >= 4 * elsewhere;
    *mode = fills ? H2ReadPattern::Sequential : H2ReadPattern::Random;
    return fills || arrived <= missing / 16 || 2 * elsewhere >= arrived;
  }

  // The number of observations that a pass counts as. before: pages that arrived meanwhile in the window of an
  // earlier page fault.
  static int weight_of_pass(size_t missing, size_t arrived, size_t before) {
    return missing >= LeastClear && arrived >= missing / 4 * 3 && arrived >= 16 * before ? ClearWeight : 1;
  }
};

// Evidence from a window of H2 on a file system without huge pages, where the system may read ahead.
class H2ReadAhead : public AllStatic {
  // With fewer pages in memory, there is no evidence of pages that were read ahead and not accessed.
  static const size_t LeastResident = 24;
  // With more pages in memory, the window may belong to a slow pass.
  static const size_t MostSinglePages = 8;

 public:
  // Returns whether there is evidence. resident: pages in memory. accessed: pages of these that are mapped, with neighbours
  // that a page fault also maps. The other parameters are those of H2Arrivals::tell().
  //
  // Linux no longer reads ahead after many page faults that read (mmap_miss). Then all pages in memory were accessed, also
  // if the program reads single objects. Such a program differs from a pass by the pages that arrive: few in the window,
  // and others in windows of earlier page faults.
  static bool tell(size_t resident, size_t accessed, size_t missing, size_t arrived, size_t elsewhere, H2ReadPattern::Mode* mode) {
    if (resident >= LeastResident && accessed * 8 <= resident * 5) {
      *mode = H2ReadPattern::Random;
      return true;
    }
    if (resident == 0 || accessed * 8 < resident * 7) {
      return false;
    }
    if (missing < H2Arrivals::LeastMissing) {
      *mode = H2ReadPattern::Sequential;
      return resident >= LeastResident;
    }
    return H2Arrivals::tell(missing, arrived, elsewhere, mode) &&
           (*mode == H2ReadPattern::Sequential || elsewhere > 0 || resident <= MostSinglePages);
  }
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2READPATTERN_HPP
