/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2REST_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2REST_HPP

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The labels whose objects have moved only in part, because the pause has a time goal. If their
// roots have moved, tags no longer lead to the remaining objects. Slots in regions of the label
// do. The set is used only at safepoints.
class H2Rest : public AllStatic {
  static H2LabelMap<bool>* _labels;

 public:
  static bool is_empty()             { return _labels == NULL || _labels->count() == 0; }
  static bool contains(jlong label)  { return !is_empty() && _labels->contains(label); }
  static void add(jlong label);
  static void clear();
  // Removes labels that are no longer scheduled.
  static void prune();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2REST_HPP
