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
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/terrace/h2/h2Unhinted.hpp"

HeapWord* H2Unhinted::_old_end = NULL;

void H2Unhinted::end_major_collection() {
  _old_end = PSParallelCompact::new_top(PSParallelCompact::old_space_id);
}
