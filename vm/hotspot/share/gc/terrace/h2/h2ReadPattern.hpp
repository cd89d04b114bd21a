/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2READPATTERN_HPP
#define SHARE_GC_TERRACE_H2_H2READPATTERN_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// How the program reads the objects of a label: one after the other, or single
// ones all over. Observations that contradict the mode are evidence for the
// other one, and those that confirm it take evidence away. Enough of it changes
// the mode.
//
// A change that did not last was wrong: next time, it needs twice the evidence.
class H2ReadPattern {
 public:
  enum Mode : uint8_t { Sequential, Random };

 private:
  static const int LeastEvidence = 8;
  static const int MostEvidence = 128;
  // Observations after which a change has lasted, or has lasted for so long that
  // what was wrong before no longer counts.
  static const int ShortStay = 16;
  static const int LongStay = 256;

  Mode _mode;
  bool _has_changed;
  int  _evidence;               // for the other mode
  int  _needed[2];              // to leave a mode
  int  _observations;           // since the last change

 public:
  H2ReadPattern(Mode mode = Sequential) : _mode(mode), _has_changed(false), _evidence(0), _observations(0) {
    _needed[Sequential] = LeastEvidence;
    _needed[Random] = LeastEvidence;
  }

  Mode mode() const             { return _mode; }
  // Observations of the other mode that change it.
  int  needed() const           { return _needed[_mode]; }

  // Returns whether the mode changes. weight: the number of observations for which this one counts.
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

// Where in a huge page the program waited for it.
class H2HugePageEntry : public AllStatic {
 public:
  // A pass enters where the huge page begins, with an object that begins just before it at times. Where a structure
  // begins, it enters elsewhere.
  static H2ReadPattern::Mode mode_of(size_t offset, size_t huge_page) {
    const bool at_start = offset < huge_page / 8 || offset >= huge_page - 4 * K;
    return at_start ? H2ReadPattern::Sequential : H2ReadPattern::Random;
  }
};

// Pages of a window of H2 that were read ahead, on a file system without huge pages.
class H2ReadAhead : public AllStatic {
  // Fewer pages in memory tell nothing.
  static const size_t LeastResident = 24;

 public:
  // Whether that tells the mode. accessed: of the pages in memory. A page fault maps neighbours that are there, too.
  static bool tell(size_t resident, size_t accessed, H2ReadPattern::Mode* mode) {
    const bool all = accessed >= resident / 8 * 7;
    *mode = all ? H2ReadPattern::Sequential : H2ReadPattern::Random;
    return resident >= LeastResident && (all || accessed <= resident / 8 * 5);
  }
};

// Pages of a window of H2 that came into memory while the program read it by
// single pages: each was asked for.
class H2Arrivals : public AllStatic {
  // Fewer missing pages tell nothing.
  static const size_t LeastMissing = 32;
  // Reads at random rarely fill a window that misses so many pages.
  static const size_t LeastClear = 128;
  static const int ClearWeight = 4;

 public:
  // Whether that tells the mode. missing: pages before, in the window of a page fault; arrived: of those, soon after it;
  // elsewhere: meanwhile, in a window of an earlier page fault. A pass fills its window, and is done with earlier ones.
  static bool tell(size_t missing, size_t arrived, size_t elsewhere, H2ReadPattern::Mode* mode) {
    if (missing < LeastMissing) {
      return false;
    }
    const bool fills = arrived >= missing / 4 && arrived >= 4 * elsewhere;
    *mode = fills ? H2ReadPattern::Sequential : H2ReadPattern::Random;
    return fills || arrived <= missing / 16 || 2 * elsewhere >= arrived;
  }

  // The number of observations for which a pass counts. before: pages that arrived meanwhile in the window of an
  // earlier page fault.
  static int weight_of_pass(size_t missing, size_t arrived, size_t before) {
    return missing >= LeastClear && arrived >= missing / 4 * 3 && arrived >= 16 * before ? ClearWeight : 1;
  }
};

#endif // SHARE_GC_TERRACE_H2_H2READPATTERN_HPP
