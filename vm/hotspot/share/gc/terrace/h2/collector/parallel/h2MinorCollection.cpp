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
#include "gc/terrace/h2/collector/h1Workers.inline.hpp"
#include "gc/terrace/h2/collector/parallel/h1Workers_parallel.hpp"
#include "gc/terrace/h2/collector/parallel/h2MinorCollection.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/paging/h2PauseReads.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"

void H2MinorCollection::begin() {
  H2PauseReads::begin();
  H2Unhinted::of_h2().before_scavenge();
  H2CardPages::of_h2().begin_scavenge();
  H2Cards::of_h2().reset_claims();
}

void H2MinorCollection::scavenge(PSPromotionManager* pm) {
  H1ParallelScavengeWorker worker(pm);
  H2Cards::of_h2().scavenge(&worker);
}
