/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_PROCESSORS_HPP
#define SHARE_GC_TERRACE_THREADS_PROCESSORS_HPP

#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

// A set of processors, by their numbers in the system.
class ProcessorSet {
 public:
  static const uint Max = 4096;

 private:
  static const uint BitsPerUnit = 64;
  uint64_t _bits[Max / BitsPerUnit];

 public:
  ProcessorSet() : _bits() {}

  bool contains(uint id) const {
    return id < Max && (_bits[id / BitsPerUnit] >> (id % BitsPerUnit) & 1) != 0;
  }
  void add(uint id) {
    if (id < Max) {
      _bits[id / BitsPerUnit] |= (uint64_t)1 << (id % BitsPerUnit);
    }
  }
  uint count() const;
  bool operator==(const ProcessorSet& other) const;
  uint64_t* bits()                    { return _bits; }
  const uint64_t* bits() const        { return _bits; }
};

// Queries the system about processors and the threads on them. A thread is identified by its number in the system,
// and 0 is the calling thread. Except for current(), call these functions outside pauses, because they read files
// or may move threads.
class Processors : public AllStatic {
 public:
  // The processor of the calling thread, or -1 if the system does not say.
  static int current();

  // The existing processors on which a thread may run.
  static bool allowed(int thread, ProcessorSet& set);
  // Returns false and sets errno if no processor of the set exists and may be used.
  static bool restrict(int thread, const ProcessorSet& set);
  // Binds the calling thread, for os::bind_to_processor.
  static bool bind(uint id);

  // The nanoseconds that a thread ran, and that it was ready and waited for a processor. Returns false if the
  // system does not count them.
  static bool run_and_wait(int thread, jlong& run, jlong& wait);

  // The nanoseconds that each processor was in use by any program or taken by the hypervisor, as busy[id] for id <
  // count.
  static bool busy_times(jlong* busy, uint count);
  // The nanoseconds that all threads of this process ran.
  static jlong process_time();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_PROCESSORS_HPP
