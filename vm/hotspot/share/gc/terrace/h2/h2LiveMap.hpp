/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2LIVEMAP_HPP
#define SHARE_GC_TERRACE_H2_H2LIVEMAP_HPP

#include "gc/terrace/h2/h2Marks.hpp"
#include "gc/terrace/h2/h2Region.hpp"
#include "memory/allStatic.hpp"

class Mutex;

// The marks of the last marking through H2 (H2DeepMarking), kept until the next one
// has ended. What it did not reach in a live region is garbage, whose references
// dangle from then on. Nobody follows them: who goes through the objects of a region
// asks here. So the pause need not read and write the garbage.
//
// Garbage keeps its size, by its class. A region that would lose a class loader by
// the marking is overwritten with fillers instead.
//
// Objects that came after the marking lie above marked_top() of their run, or in
// regions that were opened since.
class H2LiveMap : public AllStatic {
  friend class H2AgentTable;

  static H2Marks _marks;
  static Mutex*  _lock;     // held to change them

 public:
  static void initialize();

  static const H2Marks& marks()         { return _marks; }

  // Whether an object of the run that r heads is garbage. At a safepoint.
  static bool is_garbage(const H2Region* r, const void* obj) {
    return obj < r->marked_top() && !_marks.is_marked(obj);
  }

  // At the end of a marking through H2: takes its marks, and leaves none there. The regions
  // that marks_top() says something of are those of this marking.
  static void take(H2Marks* marks);
  // If no region has garbage.
  static void forget();

  // Whether they failed to reach the device. By the thread that unmaps marks.
  static const char* writeback_error();
};

#endif // SHARE_GC_TERRACE_H2_H2LIVEMAP_HPP
