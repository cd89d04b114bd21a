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
#include "gc/terrace/far/farBits.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "utilities/ostream.hpp"

Mutex*   FarStatistics::_lock = NULL;
void   (*FarStatistics::_count_faults)(FarFaults* faults) = NULL;
const char* FarStatistics::_second_log = NULL;
const char* FarStatistics::_second_name = NULL;
FarCycle FarStatistics::_cycles[Capacity];
FarCycle FarStatistics::_sum;
jlong    FarStatistics::_complete = 0;
FarCycle FarStatistics::_now;
bool     FarStatistics::_has_something = false;

static FarFaults* faults_before = NULL;
static jlong phase_start = 0;
static volatile size_t rebuild_asked = 0;
static volatile size_t rebuild_given_back = 0;

FarCycle::FarCycle() :
  id(0), millis(0), is_complete(false), absent(0), summaries(0), rebuild_asked(0), rebuild_given_back(0), kept_summaries(0),
  kept_bytes(0) {
  for (int phase = 0; phase < PhaseCount; phase++) {
    nanos[phase] = 0;
    for (int group = 0; group < FarFaults::GroupCount; group++) {
      faults[phase][group] = 0;
    }
  }
}

void FarStatistics::initialize(void (*count_faults)(FarFaults*), const char* log_name, const char* name) {
  _lock = new Mutex(Mutex::leaf, "FarStatistics lock", true, Mutex::_safepoint_check_never);
  _count_faults = count_faults;
  _second_log = log_name;
  _second_name = name;
}

void FarStatistics::take_faults(FarCycle::Phase phase) {
  const jlong end = os::javaTimeNanos();
  _now.nanos[phase] = end - phase_start;
  phase_start = end;
  FarFaults faults;
  _count_faults(&faults);
  for (int group = 0; group < FarFaults::GroupCount; group++) {
    _now.faults[phase][group] = faults.since(*faults_before, (FarFaults::Group)group);
  }
  *faults_before = faults;
}

void FarStatistics::log_faults(FarCycle::Phase phase, const char* name) {
  const julong* const faults = _now.faults[phase];
  log_info(gc, far)("%s: major faults: program " JULONG_FORMAT ", concurrent " JULONG_FORMAT ", pauses " JULONG_FORMAT
                    ", refinement " JULONG_FORMAT, name,
                    faults[FarFaults::Program], faults[FarFaults::Concurrent], faults[FarFaults::Pause], faults[FarFaults::Refinement]);
}

void FarStatistics::begin_marking() {
  if (faults_before == NULL) {
    faults_before = new FarFaults();
  }
  _now = FarCycle();
  _has_something = false;
  _count_faults(faults_before);
  phase_start = os::javaTimeNanos();
  rebuild_asked = 0;
  rebuild_given_back = 0;
}

void FarStatistics::end_marking(const FarCounts& counts, size_t absent_pages, size_t summaries, bool was_active, bool is_complete) {
  take_faults(FarCycle::Marking);
  _now.marking = counts;
  _now.absent = absent_pages;
  _now.summaries = summaries;
  _now.is_complete = is_complete;
  if (!was_active) {
    return;
  }
  _has_something = true;
  log_info(gc, far)("Marking%s: " SIZE_FORMAT " pages absent; deferred " SIZE_FORMAT " objects and " SIZE_FORMAT " scans; "
                    SIZE_FORMAT " pages became resident, " SIZE_FORMAT " swept; prefetched " SIZE_FORMAT " pages, paged out "
                    SIZE_FORMAT "; " SIZE_FORMAT " objects reclaimed meanwhile",
                    is_complete ? "" : " aborted", absent_pages, counts.deferred, counts.deferred_scans,
                    counts.present_pages, counts.swept_pages, counts.asked, counts.given_back, counts.skipped);
  if (UseG1GC || FarWrites::is_on()) {
    log_info(gc, far)("Marking from summaries: " SIZE_FORMAT " of " SIZE_FORMAT " pages, with " SIZE_FORMAT " references; read "
                      SIZE_FORMAT " of " SIZE_FORMAT " pages with weak references", counts.summarized_pages, summaries,
                      counts.summarized_references, counts.read_referring_pages, counts.referring_pages);
  }
  log_faults(FarCycle::Marking, "Marking");
}

void FarStatistics::add_rebuild(size_t asked, size_t given_back) {
  Atomic::add(&rebuild_asked, asked);
  Atomic::add(&rebuild_given_back, given_back);
}

void FarStatistics::end_rebuild() {
  // The faults include remark and cleanup.
  take_faults(FarCycle::Rebuild);
  _has_something = true;
  _now.rebuild_asked = rebuild_asked;
  _now.rebuild_given_back = rebuild_given_back;
  log_info(gc, far)("%s: prefetched " SIZE_FORMAT " pages, paged out " SIZE_FORMAT, _second_log, rebuild_asked, rebuild_given_back);
  log_faults(FarCycle::Rebuild, _second_log);
}

void FarStatistics::set_requests(const FarRequests& requests, size_t most) {
  _now.requests = requests;
  if (requests.made > 0) {
    log_info(gc, far)("Requests: " SIZE_FORMAT ", the largest of " SIZE_FORMAT " pages, at most " SIZE_FORMAT " allowed at the end; "
                      SIZE_FORMAT " of the pages were paged out before use", requests.made, requests.largest, most, requests.gone);
  }
}

void FarStatistics::set_summaries(size_t pages, size_t bytes) {
  _now.kept_summaries = pages;
  _now.kept_bytes = bytes;
}

void FarStatistics::end_cycle() {
  if (!_has_something) {
    return;
  }
  _has_something = false;
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  _now.id = ++_sum.id;
  _now.millis = os::javaTimeMillis();
  _complete += _now.is_complete ? 1 : 0;
  _sum.marking.add(_now.marking);
  _sum.requests.add(_now.requests);
  _sum.rebuild_asked += _now.rebuild_asked;
  _sum.rebuild_given_back += _now.rebuild_given_back;
  for (int phase = 0; phase < FarCycle::PhaseCount; phase++) {
    _sum.nanos[phase] += _now.nanos[phase];
    for (int group = 0; group < FarFaults::GroupCount; group++) {
      _sum.faults[phase][group] += _now.faults[phase][group];
    }
  }
  _cycles[_now.id % Capacity] = _now;
}

bool FarStatistics::next(jlong id, FarCycle& found) {
  if (_lock == NULL) {
    return false;
  }
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  const jlong wanted = MAX3(id + 1, _sum.id - Capacity + 1, (jlong)1);
  if (wanted > _sum.id) {
    return false;
  }
  found = _cycles[wanted % Capacity];
  return true;
}

static void print_faults(outputStream* out, const char* what, const FarCycle& cycle) {
  out->print_cr("%s: program " JULONG_FORMAT ", concurrent " JULONG_FORMAT ", pauses " JULONG_FORMAT ", refinement " JULONG_FORMAT,
                what, cycle.all_faults(FarFaults::Program), cycle.all_faults(FarFaults::Concurrent),
                cycle.all_faults(FarFaults::Pause), cycle.all_faults(FarFaults::Refinement));
}

// The end of a line about cycles.
static void print_seconds(outputStream* out, const FarCycle& cycle, const char* second_name) {
  out->print_cr("; marking %.1f s, %s %.1f s", cycle.nanos[FarCycle::Marking] / 1e9, second_name, cycle.nanos[FarCycle::Rebuild] / 1e9);
}

static void print_pages(outputStream* out, const FarCycle& cycle) {
  out->print_cr("  pages: " SIZE_FORMAT " marked from summaries, " SIZE_FORMAT " prefetched, " SIZE_FORMAT " paged out, "
                SIZE_FORMAT " became resident", cycle.marking.summarized_pages, cycle.asked(), cycle.given_back(),
                cycle.marking.present_pages);
  out->print_cr("  requests: " SIZE_FORMAT ", the largest of " SIZE_FORMAT " pages; " SIZE_FORMAT " of the pages were paged out before use",
                cycle.requests.made, cycle.requests.largest, cycle.requests.gone);
}

void FarStatistics::print_on(outputStream* out) {
  FarCycle sum;
  FarCycle last;
  jlong complete;
  {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    sum = _sum;
    last = _cycles[_sum.id % Capacity];
    complete = _complete;
  }
  out->print_cr("Absent: " SIZE_FORMAT " of " SIZE_FORMAT " pages of the heap", FarPages::absent_count(), FarPages::count());
  if (UseG1GC || FarWrites::is_on()) {
    out->print_cr("Summaries: %s, " SIZE_FORMAT " pages, " SIZE_FORMAT "K", FarWrites::is_on() ? "on" : "off", last.kept_summaries,
                  last.kept_bytes / K);
  }
  out->print_cr("Tables: at most " SIZE_FORMAT "K", FarBits::all_size_in_bytes() / K);
  out->print("Cycles: " JLONG_FORMAT ", " JLONG_FORMAT " aborted", sum.id, sum.id - complete);
  print_seconds(out, sum, _second_name);
  print_pages(out, sum);
  print_faults(out, "  major faults meanwhile", sum);
  FarFaults all;
  _count_faults(&all);
  out->print_cr("Major faults in total: program " JULONG_FORMAT ", concurrent " JULONG_FORMAT ", pauses " JULONG_FORMAT ", refinement "
                JULONG_FORMAT, all.count(FarFaults::Program), all.count(FarFaults::Concurrent), all.count(FarFaults::Pause),
                all.count(FarFaults::Refinement));
  if (sum.id > 0) {
    out->print("Last cycle%s: " SIZE_FORMAT " pages absent", last.is_complete ? "" : ", aborted", last.absent);
    print_seconds(out, last, _second_name);
    print_pages(out, last);
    print_faults(out, "  major faults meanwhile", last);
  }
}
