/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTGROUPS_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTGROUPS_HPP

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "runtime/mutex.hpp"
#include "utilities/growableArray.hpp"

// The groups of a selection, and their labels. Each root has a group. If there are too many roots, those of
// one label that were tagged one after the other share a group. Objects that are selected without a root
// have one group for each label.
class H2SelectGroups {
  // The maximum number of groups for a label with many roots.
  static const int RootGroups = 32 * K;

  struct Last {
    uint label;
    uint group;
    int  roots;
  };

  NONCOPYABLE(H2SelectGroups);

  // Guards the addition of groups by workers.
  Mutex                _lock;
  const uint           _max_count;
  GrowableArray<jlong> _labels;           // without duplicates
  // The index in _labels. Workers read it while others add groups, so it does not grow.
  uint* const          _label_of_group;
  volatile uint        _count;
  GrowableArray<uint>  _of_roots;         // the group of each root
  H2LabelMap<Last>     _last_of_label;
  H2LabelMap<uint>     _without_root;     // by label

  uint add(uint label_index);

 public:
  H2SelectGroups(const GrowableArray<H2Tags::Root>& roots);
  ~H2SelectGroups();

  // Returns the group for objects that are selected without a root. Their label may also have
  // groups with roots. Called by any number of workers.
  uint without_root(jlong label);

  uint of_root(int i) const       { return _of_roots.at(i); }
  int  root_count() const         { return _of_roots.length(); }
  uint count() const              { return _count; }
  uint max_count() const          { return _max_count; }
  int  label_count() const        { return _labels.length(); }
  // The index of the label of a group.
  uint label_of(uint group) const { return _label_of_group[group]; }
  const uint* label_of_group() const { return _label_of_group; }
  jlong label(uint index) const   { return _labels.at((int)index); }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTGROUPS_HPP
