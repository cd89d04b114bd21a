/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2LIVEMAP_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2LIVEMAP_HPP

#include "gc/terrace/h2/space/h2Marks.hpp"
#include "gc/terrace/h2/space/h2Region.hpp"

class Mutex;
class ObjectClosure;

// The marks of the last marking through H2 (H2DeepMarking), which are kept until the next one has
// ended. Unmarked objects in a live region are garbage, whose references dangle. The code that
// walks over the objects of a region uses this map to skip them. So the pause need not read and
// overwrite the garbage.
//
// The class of garbage is still needed for its size. If marking removes a class loader from a
// region, the garbage of the region is overwritten with fillers instead.
//
// Objects that were added after the marking are above marked_top() of their run, or in regions that
// were opened later.
class H2LiveMap {
  friend class H2AgentTable;

  // An object, because a pointer to it would be read for each object.
  static H2LiveMap _of_h2;

  H2Marks _marks;
  Mutex*  _lock;     // held while the marks are replaced

  NONCOPYABLE(H2LiveMap);

 public:
  H2LiveMap() : _lock(NULL) {}

  static void initialize();
  static H2LiveMap& of_h2()             { return _of_h2; }

  const H2Marks& marks() const { return _marks; }

  // Whether an object of the run with the head r is garbage. Called at a safepoint.
  bool is_garbage(const H2Region* r, const void* obj) const {
    return obj < r->marked_top() && !_marks.is_marked(obj);
  }

  // Applies cl to the objects of H2 that are not garbage. Called at a safepoint.
  void objects_do(ObjectClosure* cl) const;

  // Called at the end of a marking through H2. Takes its marks, and leaves none in the argument.
  // The values of marked_top() must belong to this marking.
  void take(H2Marks* marks);
  // Called if no region has garbage.
  void forget();

  // Whether some marks failed to reach the device. Called by the thread that unmaps marks.
  static const char* writeback_error();
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2LIVEMAP_HPP
