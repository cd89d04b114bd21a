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
#include "gc/terrace/h2/paging/h2Clusters.hpp"
#include "gc/terrace/h2/paging/h2PagingOfRegions.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/paging/h2Residency.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"

H2PagingOfRegions::H2PagingOfRegions(uint region_count) {
  H2ReadModes::initialize(region_count);
  H2Clusters::initialize(region_count);
  H2Residency::initialize(region_count);
}

void H2PagingOfRegions::opened(H2Region* head) {
  H2ReadModes::of_h2().opened(H2Heap::index_of_region(head), head->run_length(), head->label());
}

void H2PagingOfRegions::closed(H2Region* head) {
  H2Clusters::closed(head);
  H2Residency::of_h2().release(head);
}
