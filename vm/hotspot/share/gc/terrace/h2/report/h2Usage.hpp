/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_REPORT_H2USAGE_HPP
#define SHARE_GC_TERRACE_H2_REPORT_H2USAGE_HPP

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/tiers/tierMap.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class JavaThread;

// The use of H2 by label, as computed from its tables. No object is read.
class H2Usage : public StackObj {
 public:
  struct Label {
    jlong  label;
    uint   regions;          // with objects of the label; other labels may share them
    uint   held_regions;     // the last marking found a reference to them from outside H2
    size_t used_bytes;
    size_t garbage_bytes;    // found by the last marking through H2; shared regions count in proportion
    size_t resident_bytes;   // shared regions count in proportion
    jlong  wait_nanos;       // of all threads for its pages; -1: not known
    size_t fast_bytes;       // the part of used_bytes in fast regions
    Tier   tier;             // in which it was placed
    double hot_bytes;        // used_bytes times heat, where that is known
    uint   last_region;      // 1 + index of the last region that was counted
  };

  // A pair of labels, if runs of one label keep runs of the other label alive.
  struct Holder {
    jlong held;
    jlong holder;
    uint  pairs;             // of runs
  };

 private:
  struct Run {
    MemRegion used;
    int       first_span;               // in _spans
    int       span_count;
  };
  struct Span {
    jlong  label;
    size_t bytes;
  };

  GrowableArray<Label>  _labels;
  H2LabelMap<int>       _index_of;      // in _labels
  GrowableArray<Run>    _runs;
  GrowableArray<Span>   _spans;
  uint                  _regions;
  uint                  _shared_regions;

  Label& label_of(jlong label);
  void add(const H2Region* r);
  void add_span(const H2Region* r, jlong label, size_t bytes, size_t garbage_bytes);
  void sort();

 public:
  // The caller is in the VM or at a safepoint, so that no collection runs, and has a ResourceMark.
  H2Usage();

  // Sorted by label.
  GrowableArray<Label>& labels()               { return _labels; }
  // Regions in use.
  uint regions() const                         { return _regions; }
  uint shared_regions() const                  { return _shared_regions; }
  // Appends the holders of all labels, sorted by held label and then by descending number of pairs.
  static void find_holders(GrowableArray<Holder>* holders);

  // Fills in resident_bytes by a query for each page. The first form delays no collection. The
  // second form is for a safepoint.
  void find_resident(JavaThread* thread);
  void find_resident();
};

#endif // SHARE_GC_TERRACE_H2_REPORT_H2USAGE_HPP
