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
#include "gc/terrace/h2/base/h2ThreadState.hpp"
#include "gc/terrace/h2/paging/h2PauseReads.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "logging/log.hpp"

jlong H2PauseReads::_before = -1;

void H2PauseReads::begin() {
  const bool is_empty = H2Heap::heap().free_count() == H2Heap::region_count();
  _before = is_empty ? -1 : H2ThreadState::read_bytes();
}

jlong H2PauseReads::bytes() {
  return _before < 0 ? 0 : MAX2(H2ThreadState::read_bytes() - _before, (jlong)0);
}

void H2PauseReads::end(H2Statistics::Counter counter) {
  const jlong read = bytes();
  _before = -1;
  if (read > 0) {
    H2Statistics::add(counter, read);
    log_debug(gc, h2)("Read from the device in this pause: " JLONG_FORMAT "K", read / (jlong)K);
  }
}
