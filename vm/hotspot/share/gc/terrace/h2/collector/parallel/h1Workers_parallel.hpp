/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1WORKERS_PARALLEL_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1WORKERS_PARALLEL_HPP

#include "gc/terrace/h2/collector/h1Workers.hpp"

class ParCompactionManager;
class PSPromotionManager;

class H1ParallelScavengeWorker : public H1ScavengeWorker {
  friend class H1ScavengeWorker;
  PSPromotionManager* const _pm;

 public:
  H1ParallelScavengeWorker(PSPromotionManager* pm) : _pm(pm) {}
};

class H1ParallelMarkWorker : public H1MarkWorker {
  friend class H1MarkWorker;
  ParCompactionManager* const _cm;

 public:
  H1ParallelMarkWorker(ParCompactionManager* cm) : _cm(cm) {}
};

class H1ParallelAdjustWorker : public H1AdjustWorker {
  friend class H1AdjustWorker;
  ParCompactionManager* const _cm;

 public:
  H1ParallelAdjustWorker(ParCompactionManager* cm) : _cm(cm) {}
};

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_PARALLEL_H1WORKERS_PARALLEL_HPP
