/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2READMODES_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2READMODES_HPP

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/h2/paging/h2ReadPattern.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"

class H2Region;
class Mutex;

// Decides how the system reads the regions of each label from the device. There are two modes:
//
//   Sequential  huge pages where the file system has them, and readahead
//   Random      only the page that is accessed
//
// H2RandomAccess sets the mode for all of H2. If it is not set, the page faults that H2Waits
// finds determine the mode of each label, and can change it at any time.
//
//   Sequential  A pass enters a huge page at its start. Faults all over huge pages are
//               evidence for Random.
//   Random      A pass reads the pages around a missing page soon after it. Such arrivals
//               are evidence for Sequential.
//
// Labels of tagged objects start as Sequential, because most structures are read as a whole.
// Labels of objects that moved without a hint start as Random.
class H2ReadModes : public CHeapObj<mtGC> {
 public:
  typedef H2ReadPattern::Mode Mode;

 private:
  struct Observed {
    H2ReadPattern pattern;
    uint          changes;
  };

  // A part of H2 in which the program waited for a page.
  struct Window {
    char*  start;
    size_t size;
    jlong  label;
    size_t missing;                       // missing pages at the last check
    size_t arrived;                       // pages that arrived between the last two checks
  };

  // The advice that the system has for a region.
  enum Advice : uint8_t { None, AsSequential, AsRandom };

  static const size_t WindowBytes = 2 * M;
  static const int    WindowCount = 8;
  // The oldest window of a label is for an earlier fault if at least this many windows follow.
  static const int    EarlierWindow = 3;
  // A safepoint waits for the advice of at most this many regions.
  static const uint   RegionsAtOnce = 256;
  // Each change of advice between neighbouring regions splits a mapping of the process
  // (vm.max_map_count).
  static const uint   MaxAdviceChanges = 1024;
  static const size_t MaxLabels = 64 * 1024;

  static H2ReadModes* _of_h2;

  Mutex* const                _lock;
  H2LabelMap<Observed>* const _observed; // guarded by _lock
  uint8_t* const              _advice;   // by region; accessed at safepoints, or with Threads_lock
  uint                        _advice_changes;
  // Accessed only by the thread of H2Waits. The newest window is the last one.
  Window                      _windows[WindowCount];
  int                         _window_count;
  bool                        _is_newest_fresh;

  NONCOPYABLE(H2ReadModes);

  H2ReadModes(uint region_count);
  static Mode initial_mode(jlong label);
  void observe(jlong label, Mode seen, int weight = 1);
  // Whether the newest window shows the mode of its label.
  bool tell(Mode* mode, int* weight);
  void apply(jlong label, Mode mode);
  void count_changes(uint first, uint count, uint8_t advice, uint* now, uint* then);
  void advise(uint first, uint count, Mode mode);

 public:
  static void initialize(uint region_count) { _of_h2 = new H2ReadModes(region_count); }
  static H2ReadModes& of_h2()             { return *_of_h2; }

  // Whether page faults determine the modes.
  static bool are_found_out();
  Mode mode_of(jlong label);
  // How often the mode of the label has changed.
  uint changes_of(jlong label);
  static const char* name_of(Mode mode)   { return mode == H2ReadPattern::Sequential ? "sequential" : "random"; }

  // Called at a safepoint.
  void opened(uint first, uint count, jlong label);
  // Whether the system reads the region of p in huge pages.
  bool has_huge_pages(const void* p);

  // Called by the thread of H2Waits when a thread of the program has waited for the page at p. used: of its run.
  void waited(const void* p, MemRegion used, jlong label);
  // Called by the same thread some time later, before the next call of waited().
  void look();
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2READMODES_HPP
