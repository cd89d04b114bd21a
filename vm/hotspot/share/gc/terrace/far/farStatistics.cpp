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
#include "gc/terrace/far/farFaults.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"

static FarFaults* faults_before = NULL;
static volatile size_t rebuild_asked = 0;
static volatile size_t rebuild_given_back = 0;

static void log_faults(const char* phase) {
  FarFaults now;
  now.take();
  log_info(gc, far)("%s: major faults: program " JULONG_FORMAT ", concurrent " JULONG_FORMAT ", pauses " JULONG_FORMAT
                    ", refinement " JULONG_FORMAT, phase,
                    now.since(*faults_before, FarFaults::Program), now.since(*faults_before, FarFaults::Concurrent),
                    now.since(*faults_before, FarFaults::Pause), now.since(*faults_before, FarFaults::Refinement));
  *faults_before = now;
}

void FarStatistics::begin_marking() {
  if (faults_before == NULL) {
    faults_before = new FarFaults();
  }
  if (log_is_enabled(Info, gc, far)) {
    faults_before->take();
  }
  rebuild_asked = 0;
  rebuild_given_back = 0;
}

void FarStatistics::end_marking(const FarCounts& counts, size_t absent_pages, size_t summaries, bool is_complete) {
  if (!log_is_enabled(Info, gc, far)) {
    return;
  }
  log_info(gc, far)("Marking%s: " SIZE_FORMAT " pages absent; deferred " SIZE_FORMAT " objects and " SIZE_FORMAT " scans; "
                    SIZE_FORMAT " pages came into memory, " SIZE_FORMAT " swept; asked for " SIZE_FORMAT " pages, gave "
                    SIZE_FORMAT " back; " SIZE_FORMAT " objects reclaimed meanwhile",
                    is_complete ? "" : " aborted", absent_pages, counts.deferred, counts.deferred_scans,
                    counts.present_pages, counts.swept_pages, counts.asked, counts.given_back, counts.skipped);
  log_info(gc, far)("Marking from summaries: " SIZE_FORMAT " of " SIZE_FORMAT " pages, with " SIZE_FORMAT " references",
                    counts.summarized_pages, summaries, counts.summarized_references);
  log_faults("Marking");
}

void FarStatistics::add_rebuild(size_t asked, size_t given_back) {
  Atomic::add(&rebuild_asked, asked);
  Atomic::add(&rebuild_given_back, given_back);
}

void FarStatistics::end_rebuild() {
  if (!log_is_enabled(Info, gc, far)) {
    return;
  }
  log_info(gc, far)("Rebuild: asked for " SIZE_FORMAT " pages, gave " SIZE_FORMAT " back", rebuild_asked, rebuild_given_back);
  log_faults("Rebuild");
}
