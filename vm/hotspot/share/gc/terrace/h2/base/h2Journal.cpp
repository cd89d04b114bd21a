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
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "runtime/os.hpp"
#include "runtime/safepoint.hpp"


H2Journal H2Journal::_of_h2;

void H2Journal::add(Kind kind, jlong nanos, size_t objects, size_t bytes, const char* reason) {
  assert_at_safepoint();
  const Entry entry = { ++_last_id, os::javaTimeMillis(), kind, nanos, (jlong)objects, (jlong)bytes, reason };
  _entries[_last_id % Capacity] = entry;
}

const H2Journal::Entry* H2Journal::next(jlong id) const {
  const jlong wanted = MAX3(id + 1, _last_id - Capacity + 1, (jlong)1);
  return wanted <= _last_id ? &_entries[wanted % Capacity] : NULL;
}
