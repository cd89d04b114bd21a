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
#include "utilities/growableArray.hpp"

// The labels whose objects have moved only in part, because the pause has a time goal. If their
// roots have moved, tags no longer lead to the remaining objects. Slots of objects with the label
// do. A label that is not due keeps its record, because the program may schedule it again. The
// records are used only at safepoints.
class H2Rest : public AllStatic {
  static H2LabelMap<bool>* _labels;     // whether the label is due

  static void remove(const GrowableArray<jlong>& labels);

 public:
  // Called before a selection. Finds out which labels are due, and drops the records of labels that
  // have no object in H2.
  static void begin_transfer();
  static bool has_due();
  static bool is_due(jlong label)    { return _labels != NULL && _labels->contains(label) && *_labels->get(label); }
  static void add(jlong label);
  // Drops the records of the due labels, because all that they had left is selected.
  static void complete();
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2REST_HPP
