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
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/h2/transfer/selection/h2Rest.hpp"
#include "utilities/growableArray.hpp"

H2LabelMap<bool>* H2Rest::_labels = NULL;

void H2Rest::add(jlong label) {
  if (_labels == NULL) {
    _labels = new H2LabelMap<bool>();
  }
  _labels->put(label, true);
}

void H2Rest::clear() {
  delete _labels;
  _labels = NULL;
}

void H2Rest::prune() {
  if (is_empty()) {
    return;
  }
  GrowableArray<jlong> held(16, mtGC);
  _labels->each_do([&](jlong label, bool) {
    if (!H2Tags::of_h2().is_label_due(label)) {
      held.append(label);
    }
  });
  for (int i = 0; i < held.length(); i++) {
    _labels->remove(held.at(i));
  }
}
