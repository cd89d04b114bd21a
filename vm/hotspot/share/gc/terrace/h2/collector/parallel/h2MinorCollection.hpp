/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2MINORCOLLECTION_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2MINORCOLLECTION_HPP

#include "memory/allStatic.hpp"

class PSPromotionManager;

// The part of H2 in a minor collection of ParallelGC.
class H2MinorCollection : public AllStatic {
 public:
  static void begin();
  // Scans references from H2 to the young generation. Called by every worker.
  static void scavenge(PSPromotionManager* pm);
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H2MINORCOLLECTION_HPP
