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

// A set of processors, by the numbers the system gives them.
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

// What the system knows of processors, and of threads on them. A thread is
// named by its number in the system; 0 is the calling one. All but current()
// are for use outside pauses: they read files or may move threads.
class Processors : public AllStatic {
 public:
  // On which this thread runs; -1 if the system does not tell.
  static int current();

  // Those on which a thread may run, and are there.
  static bool allowed(int thread, ProcessorSet& set);
  // False, with errno, if none of the set may be used or is there.
  static bool restrict(int thread, const ProcessorSet& set);
  // This thread, for os::bind_to_processor.
  static bool bind(uint id);

  // Nanoseconds that a thread ran, and that it was ready to run and waited for a
  // processor. False if the system does not account for it.
  static bool run_and_wait(int thread, jlong& run, jlong& wait);

  // Nanoseconds that each processor was in use, by whomever, or taken by the
  // hypervisor: busy[id] for id < count.
  static bool busy_times(jlong* busy, uint count);
  // Nanoseconds that all threads of this process ran.
  static jlong process_time();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_PROCESSORS_HPP
