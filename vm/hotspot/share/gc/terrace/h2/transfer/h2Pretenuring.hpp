/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2PRETENURING_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2PRETENURING_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

class H2PretenuringOperation;
class Klass;

// Allocates arrays in H2 if H1 has no space for them (pretenuring).
// An array that exceeds an empty H1 is allocated here immediately. Other large arrays are allocated
// here after the last collection before an OutOfMemoryError. Each array has its own run of regions,
// so its space is freed as soon as the array is dead.
//
// A VM operation opens the run at a safepoint. The requesting thread holds the Heap_lock
// from before the operation until after it, and reaches no safepoint before it has
// initialized the header. This is the protocol of VM_ParallelGCFailedAllocation, and
// no collection can free the run before a root refers to the array. Until then the
// header is that of a long[], so H2 stays parsable.
class H2Pretenuring : public CHeapObj<mtGC> {
  friend class H2PretenuringOperation;

  static H2Pretenuring* _of_h2;

  size_t _allocated_words;       // since the last major collection
  size_t _live_words;            // in runs of such arrays, by the last major collection
  bool   _is_collecting;

  NONCOPYABLE(H2Pretenuring);

  H2Pretenuring() : _allocated_words(0), _live_words(0), _is_collecting(false) {}

  static size_t h1_words();
  static bool is_enabled();
  bool is_collection_due() const;
  // On failure returns NULL and sets *error.
  HeapWord* allocate_at_safepoint(Klass* k, size_t words, const char** error);
  void collect(bool last_resort);

  // Whether even an empty H1 has no space for an object of this size.
  static bool is_too_large_for_h1(size_t words);

 public:
  static void initialize()              { _of_h2 = new H2Pretenuring(); }
  static H2Pretenuring& of_h2()         { return *_of_h2; }

  // Whether the collection was started by a failed allocation of such an object.
  static bool is_failed_allocation_too_large();
  // Whether an allocation in H1 need not be attempted.
  static bool is_for_h2(size_t words)   { return is_enabled() && is_too_large_for_h1(words); }
  // Called by a Java thread after an allocation in H1 has failed. Returns zeroed memory,
  // except for the header, or NULL if H2 cannot hold the object.
  static HeapWord* allocate(Klass* k, size_t words);

  // Whether the current collection was started to free space in H2.
  bool is_collecting() const            { return _is_collecting; }
  void end_major_collection();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2PRETENURING_HPP
