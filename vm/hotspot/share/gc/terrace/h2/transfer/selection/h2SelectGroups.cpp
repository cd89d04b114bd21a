/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectGroups.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/mutexLocker.hpp"

// Each root may have a group, and each label in H2 one more.
static uint max_groups(int roots) {
  return (uint)roots + (uint)H2LabelSpans::label_count() + H2Heap::heap().committed_count() + 2;
}

H2SelectGroups::H2SelectGroups(const GrowableArray<H2Tags::Root>& roots) :
  _lock(Mutex::leaf, "H2Select_lock", true, Mutex::_safepoint_check_never), _max_count(max_groups(roots.length())), _labels(64, mtGC),
  _label_of_group(NEW_C_HEAP_ARRAY(uint, _max_count, mtGC)), _count(0), _of_roots(64, mtGC) {
  const int roots_per_group = roots.length() / RootGroups + 1;
  for (int i = 0; i < roots.length(); i++) {
    const jlong label = roots.adr_at(i)->label;
    Last* const last = _last_of_label.get(label);
    if (last != NULL && last->roots < roots_per_group) {
      last->roots++;
      _of_roots.append(last->group);
      continue;
    }
    const uint label_index = last != NULL ? last->label : (uint)_labels.append(label);
    const Last fresh = { label_index, add(label_index), 1 };
    _last_of_label.put(label, fresh);
    _of_roots.append(fresh.group);
  }
}

H2SelectGroups::~H2SelectGroups() {
  FREE_C_HEAP_ARRAY(uint, _label_of_group);
}

uint H2SelectGroups::add(uint label_index) {
  guarantee(_count < _max_count, "more labels than in H2");
  _label_of_group[_count] = label_index;
  return _count++;
}

uint H2SelectGroups::without_root(jlong label) {
  MutexLocker ml(&_lock, Mutex::_no_safepoint_check_flag);
  const uint* const group = _without_root.get(label);
  if (group != NULL) {
    return *group;
  }
  const Last* const last = _last_of_label.get(label);
  const uint label_index = last != NULL ? last->label : (uint)_labels.append(label);
  const uint fresh = add(label_index);
  _without_root.put(label, fresh);
  return fresh;
}
