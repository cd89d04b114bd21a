/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_H1WORKERS_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_H1WORKERS_HPP

#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

// A worker of a collection, as H2 uses it in each phase. The collector makes an object of a subclass that knows
// its own kind of worker. The functions cast to this subclass, and are not virtual, because H2 calls them for each slot.
// The index of a worker is less than ParallelGCThreads, or equal if the VM thread does the work.

// A worker of a minor collection.
class H1ScavengeWorker {
 protected:
  H1ScavengeWorker() {}

 public:
  uint index() const;
  // Whether this collection copies the target of a slot, which is in H1.
  template <typename T> static inline bool copies_target(T* p);
  // Takes a slot that refers to an object that this collection copies.
  template <typename T> inline void push(T* p);
  // Processes slots, and leaves some for other workers to steal.
  inline void drain();
};

// A worker that marks in a major collection.
class H1MarkWorker {
 protected:
  H1MarkWorker() {}

 public:
  uint index() const;
  // Marks the target of a slot, and follows it later. A target in H2 counts as one that H1 refers to.
  template <typename T> inline void mark_and_push(T* p);
  // Whether this worker has no object left to follow. Others can steal from it.
  inline bool is_drained() const;
};

// A worker that updates references before compaction.
class H1AdjustWorker {
 protected:
  H1AdjustWorker() {}

 public:
  uint index() const;
  // Updates the slot to the new address of its target, in H1 or in H2.
  template <typename T> inline void adjust(T* p);
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_H1WORKERS_HPP
