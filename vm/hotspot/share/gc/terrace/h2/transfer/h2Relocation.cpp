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
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.hpp"
#include "gc/terrace/h2/transfer/h2Relocation.hpp"

HeapWord* H2Relocation::of_moving(HeapWord* addr) {
  return H2Forwarding::of_h2().is_moving(addr) ? H2Forwarding::of_h2().destination(addr) : NULL;
}

HeapWord* H2Relocation::of_leaving(HeapWord* addr) {
  return H2Evacuation::of_h2().location(addr);
}
