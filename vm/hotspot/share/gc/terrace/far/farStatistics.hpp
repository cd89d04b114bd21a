/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARSTATISTICS_HPP
#define SHARE_GC_TERRACE_FAR_FARSTATISTICS_HPP

#include "gc/terrace/far/farFaults.hpp"
#include "gc/terrace/far/farRequests.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class outputStream;

// What one worker did in one marking.
struct FarCounts {
  size_t deferred;                     // objects that were not marked yet
  size_t deferred_scans;               // objects that were
  size_t present_pages;                // drained because they had come into memory
  size_t swept_pages;                  // drained in the order of addresses
  size_t skipped;                      // objects reclaimed before they were drained
  size_t asked;                        // pages
  size_t given_back;                   // pages
  size_t summarized_pages;             // marked from their summaries
  size_t summarized_references;        // of them

  FarCounts() : deferred(0), deferred_scans(0), present_pages(0), swept_pages(0), skipped(0), asked(0), given_back(0),
                summarized_pages(0), summarized_references(0) {}

  void add(const FarCounts& other) {
    deferred += other.deferred;
    deferred_scans += other.deferred_scans;
    present_pages += other.present_pages;
    swept_pages += other.swept_pages;
    skipped += other.skipped;
    asked += other.asked;
    given_back += other.given_back;
    summarized_pages += other.summarized_pages;
    summarized_references += other.summarized_references;
  }
};

// What a concurrent cycle did.
struct FarCycle {
  enum Phase { Marking, Rebuild, PhaseCount };

  jlong     id;                        // 1 is the first
  jlong     millis;                    // since the epoch, when it ended
  bool      is_complete;               // not aborted by a full collection
  jlong     nanos[PhaseCount];
  size_t    absent;                    // pages, when marking began
  size_t    summaries;                 // pages that marking could do from summaries
  FarCounts marking;
  FarRequests requests;                // of all workers, in marking and rebuild
  size_t    rebuild_asked;             // pages
  size_t    rebuild_given_back;        // pages
  size_t    kept_summaries;            // pages, for the next cycle
  size_t    kept_bytes;                // of them
  julong    faults[PhaseCount][FarFaults::GroupCount];

  FarCycle();

  size_t asked() const      { return marking.asked + rebuild_asked; }
  size_t given_back() const { return marking.given_back + rebuild_given_back; }
  julong all_faults(FarFaults::Group group) const { return faults[Marking][group] + faults[Rebuild][group]; }
};

// Cycles in which something was absent, or summaries were taken: for -Xlog:gc+far,
// for Terrace.far, and for org.terrace.FarMemory, which makes events of the flight
// recorder of them.
//
// The thread that coordinates cycles writes; others read under a lock.
class FarStatistics : public AllStatic {
  static const int Capacity = 64;

  static FarCycle _cycles[Capacity];
  static FarCycle _sum;                // id: how many; is_complete has no meaning
  static jlong    _complete;           // of them
  static FarCycle _now;
  static bool     _has_something;

  static void take_faults(FarCycle::Phase phase);
  static void log_faults(FarCycle::Phase phase, const char* name);

 public:
  static void begin_marking();
  // was_active: something was absent.
  static void end_marking(const FarCounts& counts, size_t absent_pages, size_t summaries, bool was_active, bool is_complete);
  static void add_rebuild(size_t asked, size_t given_back);
  static void end_rebuild();
  // After the rebuild.
  static void set_requests(const FarRequests& requests, size_t most);
  static void set_summaries(size_t pages, size_t bytes);
  static void end_cycle();

  // The oldest cycle after that one that is still known. False: there is none.
  static bool next(jlong id, FarCycle& found);
  static void print_on(outputStream* out);
};

#endif // SHARE_GC_TERRACE_FAR_FARSTATISTICS_HPP
