/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2DEPENDENCIES_HPP
#define SHARE_GC_TERRACE_H2_H2DEPENDENCIES_HPP

#include "gc/terrace/h2/h2RegionGroups.hpp"
#include "gc/terrace/h2/h2RegionSet.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "memory/allStatic.hpp"

// Which runs of regions live as long as another, because objects of that one
// refer to them; by index of their heads. One of two forms (TeraHeap, section
// 3.3): directed, a set per run, or with H2UnionFind groups of runs that live
// and die together.
//
// Between deep markings dependencies are only ever added: a stale one delays
// reclamation, a lost one would free a run under a live reference.
class H2Dependencies : public AllStatic {
  static H2RegionSet*   _sets;
  static H2RegionGroups _groups;

 public:
  static void initialize(uint region_count);

  static void open(uint head);
  // is_dead: marking found the run dead, and with it all of its group.
  static void close(uint head, bool is_dead);

  // Any number of workers.
  static void add(uint from, uint to) {
    if (H2UnionFind) {
      _groups.merge(from, to);
    } else {
      _sets[from].add(to);
    }
  }
  static bool contains(uint from, uint to) {
    return H2UnionFind ? _groups.group_of(from) == _groups.group_of(to) : _sets[from].contains(to);
  }

  // Calls function(head) for runs from which, in turn, all that live as long
  // as from can be reached.
  template <typename Function> static inline void each_do(uint from, Function function);

  // At a safepoint.
  static void prepare_marking();
  // Of a run that lives on, on one that is freed before any marking saw it.
  static void forget(uint from, uint to);
  // Before all of them are found anew.
  static void forget_all();
};

template <typename Function>
inline void H2Dependencies::each_do(uint from, Function function) {
  if (H2UnionFind) {
    function(_groups.next_member(from));
  } else {
    _sets[from].each_do(function);
  }
}

#endif // SHARE_GC_TERRACE_H2_H2DEPENDENCIES_HPP
