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
#include "gc/terrace/h2/h2Rest.hpp"
#include "gc/terrace/h2/h2Tags.hpp"
#include "utilities/growableArray.hpp"

H2Rest::Labels* H2Rest::_labels = NULL;
int             H2Rest::_count = 0;

void H2Rest::add(jlong label) {
  if (_labels == NULL) {
    _labels = new (ResourceObj::C_HEAP, mtGC) Labels();
  }
  _count += _labels->put(label, true) ? 1 : 0;
}

void H2Rest::clear() {
  delete _labels;
  _labels = NULL;
  _count = 0;
}

void H2Rest::prune() {
  if (is_empty()) {
    return;
  }
  struct : public StackObj {
    GrowableArray<jlong> held;
    bool do_entry(const jlong& label, const bool&) {
      if (!H2Tags::is_label_due(label)) {
        held.append(label);
      }
      return true;
    }
  } held;
  _labels->iterate(&held);
  for (int i = 0; i < held.held.length(); i++) {
    _labels->remove(held.held.at(i));
    _count--;
  }
}
