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
#include "gc/terrace/h2/collector/h1Marks.inline.hpp"

void H1Marks::clear(HeapWord* from, HeapWord* to) {
  ParMarkBitMap* const marks = PSParallelCompact::mark_bitmap();
  marks->clear_range(marks->addr_to_bit(from), marks->addr_to_bit(to));
}
