/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARFAULTS_HPP
#define SHARE_GC_TERRACE_FAR_FARFAULTS_HPP

#include "memory/allocation.hpp"
#include "memory/iterator.hpp"
#include "utilities/globalDefinitions.hpp"

// Counts of major page faults so far, by the kind of thread that waited for the page.
class FarFaults : public CHeapObj<mtGC> {
 public:
  enum Group { Program, Concurrent, Pause, Refinement, GroupCount };

 private:
  julong _count[GroupCount];

  // 0 if the system does not provide the number.
  static julong of_file(const char* path);
  static julong of_thread(int id);
  static julong of_process();

 public:
  FarFaults();

  // Faults of the calling thread. It opens no file, so it may be called often.
  static julong of_this_thread();

  // Sets the counts of the collector's threads, and counts the other faults of the process as the program's.
  void set(julong concurrent, julong pause, julong refinement);

  julong count(Group group) const { return _count[group]; }

  julong since(const FarFaults& before, Group group) const {
    // A count may decrease, because the faults of ended threads are no longer counted.
    return _count[group] > before._count[group] ? _count[group] - before._count[group] : 0;
  }

  friend class FarThreadFaults;
};

// Adds up the faults of some threads.
class FarThreadFaults : public ThreadClosure {
  julong _sum;

 public:
  FarThreadFaults() : _sum(0) {}

  virtual void do_thread(Thread* thread);

  julong sum() const { return _sum; }
};

#endif // SHARE_GC_TERRACE_FAR_FARFAULTS_HPP
