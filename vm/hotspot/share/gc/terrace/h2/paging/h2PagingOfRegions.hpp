/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2PAGINGOFREGIONS_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2PAGINGOFREGIONS_HPP

#include "gc/terrace/h2/space/h2RegionListener.hpp"
#include "utilities/globalDefinitions.hpp"

// Keeps the read modes, the clusters and the residency of regions up to date when H2Heap opens and frees regions.
class H2PagingOfRegions : public H2RegionListener {
 public:
  H2PagingOfRegions(uint region_count);

  virtual void opened(H2Region* head);
  virtual void closed(H2Region* head);
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2PAGINGOFREGIONS_HPP
