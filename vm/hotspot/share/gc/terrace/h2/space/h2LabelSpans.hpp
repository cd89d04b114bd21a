/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2LABELSPANS_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2LABELSPANS_HPP

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
enum class Tier : uint8_t;

// The labels of the objects in a region that several labels share: one span for
// each range of adjacent objects with the same label. 16 bytes for each span.
//
// A region that is opened for sharing has one of three reserved labels, one for each
// tier, so it keeps its tier whatever is in it. A region that was opened for one label
// becomes shared when no other region has space for objects with another label.
//
// The spans change only at a safepoint and by one thread.
class H2LabelSpans : public CHeapObj<mtGC> {
  struct Span {
    jlong label;
    uint  begin;                        // offset in words
  };

  struct InShared {
    size_t words;                       // in all shared regions
    uint   last_region;                 // the one that last received objects; it may have been freed and reopened since
  };

  static H2LabelMap<InShared>* _in_shared;
  // The reserved labels are adjacent numbers.
  static const jlong FirstLabel = H2Labels::FirstShared;
  static const int LabelCount = 3;
  STATIC_ASSERT(FirstLabel + LabelCount <= H2Labels::FirstOfProgram);

  GrowableArrayCHeap<Span, mtGC> _spans;

  static void add(jlong label, size_t words, const H2Region* r);
  static void subtract(jlong label, size_t words);
  int  index_of(const H2Region* r, const void* p) const;
  MemRegion span_at(const H2Region* r, int i) const;
  void cut_spans(const H2Region* r, size_t offset);

 public:
  static void initialize();

  // The reserved label of shared regions of this tier. Tier::Heap does not occur, because its labels
  // do not move.
  static jlong label_of(Tier tier);
  static int   index_of_label(jlong label) { return (int)(label - FirstLabel); }
  static bool  is_label(jlong label) { return label >= FirstLabel && label < FirstLabel + LabelCount; }

  // The words of the label's objects in shared regions.
  static size_t words_of(jlong label);
  static size_t label_count()        { return _in_shared->count(); }
  // Returns a shared region that probably contains objects of the label, or NULL.
  static H2Region* last_region_of(jlong label);

  // Records that these words of r contain objects with this label. They follow all existing spans.
  static void append(H2Region* r, jlong label, const void* begin, size_t words);
  // Removes the spans above this address, which is about to become the top of r.
  static void cut(H2Region* r, const void* top);
  static void release(H2Region* r);

  // The number of spans of r. It is 1 if r is not shared.
  static int   span_count(const H2Region* r);
  // The label of the object at p in r, which may be shared or not.
  static inline jlong label_at(const H2Region* r, const void* p);
  // Calls function(label, words) for each span of r, or for all of r if it is not shared.
  template <typename Function> static inline void spans_do(const H2Region* r, Function function);

  // Verifies that spans lie in their regions, and that the words of each label match its spans.
  static void verify(const char* when);
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2LABELSPANS_HPP
