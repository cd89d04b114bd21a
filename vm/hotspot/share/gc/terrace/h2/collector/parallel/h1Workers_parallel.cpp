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
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/h2/collector/h1Workers.inline.hpp"

// Finds the worker of a manager, which does not know its worker.
template <typename Manager>
static uint index_of(const Manager* manager, Manager* (*manager_of)(uint)) {
  uint index = 0;
  while (index < ParallelGCThreads && manager_of(index) != manager) {
    index++;
  }
  return index;
}

uint H1ScavengeWorker::index() const {
  return index_of<PSPromotionManager>(static_cast<const H1ParallelScavengeWorker*>(this)->_pm,
                                      PSPromotionManager::gc_thread_promotion_manager);
}

uint H1MarkWorker::index() const {
  return index_of<ParCompactionManager>(static_cast<const H1ParallelMarkWorker*>(this)->_cm,
                                        ParCompactionManager::gc_thread_compaction_manager);
}

uint H1AdjustWorker::index() const {
  return index_of<ParCompactionManager>(static_cast<const H1ParallelAdjustWorker*>(this)->_cm,
                                        ParCompactionManager::gc_thread_compaction_manager);
}
