/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2UNUSEDHEAP_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2UNUSEDHEAP_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// Releases the memory that a major collection has freed in the old generation and in eden, if the
// program waits for pages of H2. The system can then keep more of these pages in memory. The
// generations keep their sizes, and the system provides zeroed pages when they are used again.
class H2UnusedHeap : public CHeapObj<mtGC> {
  static H2UnusedHeap* _of_h2;

  // The old generation has not used its memory above this address since it was released.
  HeapWord* _used_end;
  // At the end of the last major collection.
  jlong     _last_end;
  jlong     _last_waited;

  // The page faults of the next use of the memory must take less than a hundredth of the time.
  // They provide at least this many bytes in a millisecond.
  static const size_t BytesPerMilli = 4 * M;

 public:
  H2UnusedHeap() : _used_end(NULL), _last_end(0), _last_waited(0) {}

  static void initialize()        { _of_h2 = new H2UnusedHeap(); }
  static H2UnusedHeap& of_h2()    { return *_of_h2; }

  // nanos: since the last major collection. waited_nanos: waits for pages of H2 meanwhile, summed over threads.
  static bool is_worth(size_t bytes, jlong nanos, jlong waited_nanos) {
    return waited_nanos >= nanos / 10 && nanos / NANOSECS_PER_MILLISEC / 100 >= (jlong)(bytes / BytesPerMilli);
  }

  // Called after compaction, before the tops of spaces are set.
  void end_major_collection();
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2UNUSEDHEAP_HPP
