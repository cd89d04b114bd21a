/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_GCTHREADPLACEMENT_HPP
#define SHARE_GC_TERRACE_THREADS_GCTHREADPLACEMENT_HPP

#include "gc/terrace/terraceMacros.hpp"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

// Decides on which processor each GC thread of a gang runs. It neither measures nor moves threads.
//
// The dynamic form follows algorithm 1 of Suo et al. (EuroSys '18). A thread on a contended processor moves to a
// random processor with less than half the load. Three points differ. Contention is the time that the thread itself
// waited while it had work. The load of the processor would include the VM's own threads, which a pause stops. A
// processor with a GC thread is not a target. A thread that finds no target is set free, because the kernel can
// then place it better, until it has run undisturbed for a while.
class GCThreadPlacement : public CHeapObj<mtGC> {
 public:
  static const int Free = -1;

  struct Processor {
    int    id;
    double others;         // share of its time that other programs used
  };

 private:
  // Fractions of a thread's time with work in which it waited for a processor.
  static constexpr double Contended = 0.2;
  static constexpr double Undisturbed = 0.05;
  static constexpr double HighestTargetLoad = 0.25;
  static const uint MaxPatience = 64;

  struct Thread {
    int  processor;        // id, or Free
    uint undisturbed;      // looks without disturbance in a row
    uint patience;         // number of such looks that end the freedom
  };

  const bool  _is_dynamic;
  const uint  _max_threads;
  const uint  _offset;
  Thread*     _threads;
  Processor*  _processors;
  uint        _processor_count;
  int         _seed;

  int index_of(int id) const;
  uint threads_on(int id) const;
  int preferred(uint thread) const;
  bool has_one_for_each() const;
  int random_target(double limit);

 public:
  // offset is the index of the first thread's processor. It keeps several VMs with fewer threads than processors
  // from using the same ones.
  GCThreadPlacement(uint max_threads, bool is_dynamic, uint offset);
  ~GCThreadPlacement();

  // Copies the array, which has at least one element.
  void set_processors(const Processor* processors, uint count);

  int processor(uint thread) const    { return _threads[thread].processor; }
  // Chooses a processor for a thread that has none, or after the set of processors has changed.
  int place(uint thread);
  bool must_be_placed(uint thread) const;
  // Called with the share of its time with work that the thread waited.
  int judge(uint thread, double wait_share);
  // Called if the system refused the processor.
  void set_free(uint thread);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_GCTHREADPLACEMENT_HPP
