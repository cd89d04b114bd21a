/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2DEPENDENCIES_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2DEPENDENCIES_HPP

#include "gc/terrace/h2/liveness/h2RegionGroups.hpp"
#include "gc/terrace/h2/space/h2RegionSet.hpp"
#include "gc/terrace/terrace_globals.hpp"

// The dependencies between runs of regions. A run lives as long as another run whose objects refer
// to it. Runs are named by the index of their head. There are two forms (TeraHeap, section 3.3).
// The directed form has a set per run. With H2UnionFind, groups of runs live and die together.
//
// Between deep markings, dependencies are only added. A stale dependency delays reclamation, but a
// lost one would free a run that is still referred to.
class H2Dependencies {
  // An object, because a pointer to it would be read for each slot.
  static H2Dependencies _of_h2;

  H2RegionSet*   _sets;
  H2RegionGroups _groups;

  NONCOPYABLE(H2Dependencies);

 public:
  H2Dependencies() : _sets(NULL), _groups() {}

  static H2Dependencies& of_h2() { return _of_h2; }

  void initialize(uint region_count);

  void open(uint head);
  // is_dead says that marking found the run dead, and with it the whole group.
  void close(uint head, bool is_dead);

  // Called by any number of workers.
  void add(uint from, uint to) {
    if (H2UnionFind) {
      _groups.merge(from, to);
    } else {
      _sets[from].add(to);
    }
  }
  bool contains(uint from, uint to) {
    return H2UnionFind ? _groups.group_of(from) == _groups.group_of(to) : _sets[from].contains(to);
  }

  // Calls function(head) for some dependent runs of from. All runs that live as long as from are
  // reached by repeated calls for these.
  template <typename Function> inline void each_do(uint from, Function function);

  // Called at a safepoint.
  void prepare_marking();
  // Removes the dependency of a live run on a run that is freed before any marking has seen it.
  void forget(uint from, uint to);
  // Called before all dependencies are recomputed.
  void forget_all();
};

template <typename Function>
inline void H2Dependencies::each_do(uint from, Function function) {
  if (H2UnionFind) {
    function(_groups.next_member(from));
  } else {
    _sets[from].each_do(function);
  }
}

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2DEPENDENCIES_HPP
