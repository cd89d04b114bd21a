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
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/h2/transfer/selection/h2Rest.hpp"

H2LabelMap<bool>* H2Rest::_labels = NULL;

bool H2Rest::has_due() {
  bool any = false;
  if (_labels != NULL) {
    _labels->each_do([&](jlong, bool is_due) { any = any || is_due; });
  }
  return any;
}

void H2Rest::add(jlong label) {
  if (_labels == NULL) {
    _labels = new H2LabelMap<bool>();
  }
  _labels->put(label, H2Tags::of_h2().is_label_due(label));
}

void H2Rest::begin_transfer() {
  if (_labels == NULL) {
    return;
  }
  H2LabelMap<bool> in_h2;
  H2Heap::heap().heads_do([&](const H2Region* r) {
    if (_labels->contains(r->label())) {
      in_h2.put(r->label(), true);
    }
  });
  GrowableArray<jlong> gone(16, mtGC);
  _labels->each_do([&](jlong label, bool) {
    if (in_h2.contains(label) || H2LabelSpans::words_of(label) != 0) {
      _labels->put(label, H2Tags::of_h2().is_label_due(label));
    } else {
      gone.append(label);
    }
  });
  remove(gone);
}

void H2Rest::complete() {
  if (_labels == NULL) {
    return;
  }
  GrowableArray<jlong> due(16, mtGC);
  _labels->each_do([&](jlong label, bool is_due) {
    if (is_due) {
      due.append(label);
    }
  });
  remove(due);
}

void H2Rest::remove(const GrowableArray<jlong>& labels) {
  for (int i = 0; i < labels.length(); i++) {
    _labels->remove(labels.at(i));
  }
}
