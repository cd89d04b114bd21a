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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "runtime/atomic.hpp"

volatile jlong H2Statistics::_counters[CounterCount];

void H2Statistics::add(Counter c, jlong delta) {
  Atomic::add(&_counters[c], delta);
}

jlong H2Statistics::get(Counter c) {
  return Atomic::load(&_counters[c]);
}
