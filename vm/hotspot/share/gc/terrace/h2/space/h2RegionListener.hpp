/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2REGIONLISTENER_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2REGIONLISTENER_HPP

#include "memory/allocation.hpp"

class H2Region;

// Code that has state of its own for each region of H2. H2Heap tells it which regions are opened and freed, and so
// need not know it. Called at a safepoint.
class H2RegionListener : public CHeapObj<mtGC> {
  friend class H2Heap;

  H2RegionListener* _next;

 protected:
  H2RegionListener() : _next(NULL) {}

 public:
  // A run with this head was opened. It has no objects yet.
  virtual void opened(H2Region* head) = 0;
  // This run is being freed, but is still in use.
  virtual void closed(H2Region* head) = 0;
};

#endif // SHARE_GC_TERRACE_H2_SPACE_H2REGIONLISTENER_HPP
