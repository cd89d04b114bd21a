/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2SETTLETASK_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2SETTLETASK_HPP

#include "gc/shared/workgroup.hpp"
#include "utilities/globalDefinitions.hpp"

class H2MarkingRuns;
class H2Region;

// Leaves the garbage of live runs to H2LiveMap. If it no longer keeps its class loaders, overwrites it
// with filler objects. Evacuated runs are skipped.
class H2SettleTask : public AbstractGangTask {
  const H2MarkingRuns& _runs;
  volatile uint        _claimed;
  volatile size_t      _reachable_words;
  volatile size_t      _garbage_words;
  volatile size_t      _filled_words;

  void settle(H2Region* r, size_t reachable);

 public:
  H2SettleTask(const H2MarkingRuns& runs) :
    AbstractGangTask("H2 Settle"), _runs(runs), _claimed(0), _reachable_words(0), _garbage_words(0), _filled_words(0) {}

  size_t reachable_words() const { return _reachable_words; }
  size_t garbage_words() const   { return _garbage_words; }
  size_t filled_words() const    { return _filled_words; }

  virtual void work(uint worker_id);
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2SETTLETASK_HPP
