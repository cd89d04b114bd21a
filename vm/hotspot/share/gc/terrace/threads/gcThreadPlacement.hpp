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

// On which processor each GC thread of a gang is to run. Decides only; measures
// and moves nothing.
//
// The dynamic form follows algorithm 1 of Suo et al. (EuroSys '18): a thread
// whose processor is contended moves to one picked at random of those that have
// less than half its load. It differs in three points. Contention is what the
// thread itself waited for its processor while it had work, rather than the
// load of the processor: that counts all the VM's own threads, which a pause
// stops. A processor with a GC thread is no target. And a thread that finds no
// target is set free, as the kernel then knows better, until it has run
// undisturbed for a while.
class GCThreadPlacement : public CHeapObj<mtGC> {
 public:
  static const int Free = -1;

  struct Processor {
    int    id;
    double others;         // share of its time that went to other programs
  };

 private:
  // Shares of the time in which a thread had work that it waited.
  static constexpr double Contended = 0.2;
  static constexpr double Undisturbed = 0.05;
  static constexpr double HighestTargetLoad = 0.25;
  static const uint MaxPatience = 64;

  struct Thread {
    int  processor;        // id, or Free
    uint undisturbed;      // looks in a row
    uint patience;         // so many of them end the freedom
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
  // offset: which of the processors the first thread gets. So several VMs with
  // fewer threads than processors do not all crowd the first ones.
  GCThreadPlacement(uint max_threads, bool is_dynamic, uint offset);
  ~GCThreadPlacement();

  // Copies. At least one.
  void set_processors(const Processor* processors, uint count);

  int processor(uint thread) const    { return _threads[thread].processor; }
  // Anew, for a thread that has none yet, or since other processors may be used.
  int place(uint thread);
  bool must_be_placed(uint thread) const;
  // The thread had work, and waited for this share of that time.
  int judge(uint thread, double wait_share);
  // The system refused the processor.
  void set_free(uint thread);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_THREADS_GCTHREADPLACEMENT_HPP
