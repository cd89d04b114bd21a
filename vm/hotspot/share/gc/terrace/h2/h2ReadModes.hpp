/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2READMODES_HPP
#define SHARE_GC_TERRACE_H2_H2READMODES_HPP

#include "gc/terrace/h2/h2LabelMap.hpp"
#include "gc/terrace/h2/h2ReadPattern.hpp"
#include "memory/allStatic.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"

class H2Region;
class Mutex;

// How the system reads the regions of each label from the device:
//
//   Sequential  by huge pages where the file system has them, and ahead
//   Random      the page that is accessed, and nothing else
//
// H2RandomAccess decides for all of H2. If it is not set, page faults decide,
// as H2Waits finds them: label by label, at any time anew.
//
//   Sequential  a pass enters a huge page where it begins. Faults all over huge
//               pages are evidence for Random.
//   Random      a pass reads the pages around one that was missing soon after it.
//               Such arrivals are evidence for Sequential.
//
// What was tagged begins as Sequential, since structures are mostly read whole,
// and what moved without a hint as Random.
class H2ReadModes : public AllStatic {
 public:
  typedef H2ReadPattern::Mode Mode;

 private:
  struct Observed {
    H2ReadPattern pattern;
    uint          changes;
  };

  // Where the program waited for a page.
  struct Window {
    char*  start;
    size_t size;
    jlong  label;
    size_t missing;                       // pages, when it was last looked at
    size_t arrived;                       // between the last two times
  };

  // What the system was told of a region.
  enum Advice : uint8_t { None, AsSequential, AsRandom };

  static const size_t WindowBytes = 2 * M;
  static const int    WindowCount = 8;
  // A window of an earlier fault is the oldest of its label, from these on.
  static const int    EarlierWindow = 3;
  // A safepoint waits for so many.
  static const uint   RegionsAtOnce = 256;
  // Each change of advice from one region to the next costs the process one of its
  // mappings (vm.max_map_count).
  static const uint   MaxAdviceChanges = 1024;
  static const size_t MaxLabels = 64 * 1024;

  static Mutex*                _lock;
  static H2LabelMap<Observed>* _observed; // guarded by _lock
  static uint8_t*              _advice;   // by region; at safepoints, or with Threads_lock
  static uint                  _advice_changes;
  // Only the thread of H2Waits, the newest last.
  static Window                _windows[WindowCount];
  static int                   _window_count;
  static bool                  _is_newest_fresh;

  static Mode initial_mode(jlong label);
  static void observe(jlong label, Mode seen, int weight = 1);
  // Whether the newest window tells the mode of its label.
  static bool tell(Mode* mode, int* weight);
  static void apply(jlong label, Mode mode);
  static void count_changes(uint first, uint count, uint8_t advice, uint* now, uint* then);
  static void advise(uint first, uint count, Mode mode);

 public:
  static void initialize(uint region_count);
  // Whether page faults decide.
  static bool are_found_out();
  static Mode mode_of(jlong label);
  // How often it was found to be another one.
  static uint changes_of(jlong label);
  static const char* name_of(Mode mode)   { return mode == H2ReadPattern::Sequential ? "sequential" : "random"; }

  // At a safepoint.
  static void opened(uint first, uint count, jlong label);
  // Whether the system reads what lies there by huge pages.
  static bool has_huge_pages(const void* p);

  // The rest is for the thread of H2Waits. A thread of the program has waited for the page at p, used: of its run.
  static void waited(const void* p, MemRegion used, jlong label);
  // Some time after that, and before the next.
  static void look();
};

#endif // SHARE_GC_TERRACE_H2_H2READMODES_HPP
