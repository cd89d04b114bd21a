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

class Mutex;
class outputStream;

// The work of one worker in one marking.
struct FarCounts {
  size_t deferred;                     // objects that were not marked yet
  size_t deferred_scans;               // objects that were already marked
  size_t present_pages;                // pages drained because they had come into memory
  size_t swept_pages;                  // pages drained in address order
  size_t skipped;                      // objects reclaimed before they were drained
  size_t asked;                        // prefetched pages
  size_t given_back;                   // pages paged out after use
  size_t summarized_pages;             // marked from their summaries
  size_t summarized_references;        // references in these summaries
  size_t referring_pages;              // those of the summarized pages that have referents
  size_t read_referring_pages;         // those of the latter that were read, because a referent was not marked

  FarCounts() : deferred(0), deferred_scans(0), present_pages(0), swept_pages(0), skipped(0), asked(0), given_back(0),
                summarized_pages(0), summarized_references(0), referring_pages(0), read_referring_pages(0) {}

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
    referring_pages += other.referring_pages;
    read_referring_pages += other.read_referring_pages;
  }
};

// The work of one concurrent cycle.
struct FarCycle {
  // Rebuild is G1's rebuild of remembered sets, or Shenandoah's evacuation and update of references.
  enum Phase { Marking, Rebuild, PhaseCount };

  jlong     id;                        // starts with 1
  jlong     millis;                    // since the epoch, when it ended
  bool      is_complete;               // not aborted by a full collection
  jlong     nanos[PhaseCount];
  size_t    absent;                    // absent pages when marking began
  size_t    summaries;                 // pages that could be marked from summaries
  FarCounts marking;
  FarRequests requests;                // of all workers, in marking and rebuild
  size_t    rebuild_asked;             // prefetched pages
  size_t    rebuild_given_back;        // pages paged out after use
  size_t    kept_summaries;            // pages with a summary for the next cycle
  size_t    kept_bytes;                // size of these summaries
  julong    faults[PhaseCount][FarFaults::GroupCount];

  FarCycle();

  size_t asked() const      { return marking.asked + rebuild_asked; }
  size_t given_back() const { return marking.given_back + rebuild_given_back; }
  julong all_faults(FarFaults::Group group) const { return faults[Marking][group] + faults[Rebuild][group]; }
};

// The statistics of cycles in which pages were absent or summaries were created. They are printed
// by -Xlog:gc+far and the command Terrace.far. org.terrace.FarMemory turns them into events of the
// flight recorder.
//
// The thread that coordinates cycles writes them. Other threads read them under a lock.
class FarStatistics : public AllStatic {
  static const int Capacity = 64;

  static Mutex*   _lock;               // NULL while far memory is off
  static void   (*_count_faults)(FarFaults* faults);
  static const char* _second_log;      // names of the phase after marking
  static const char* _second_name;
  static FarCycle _cycles[Capacity];
  static FarCycle _sum;                // its id is the number of cycles, and is_complete is unused
  static jlong    _complete;           // number of complete cycles
  static FarCycle _now;
  static bool     _has_something;

  static void take_faults(FarCycle::Phase phase);
  static void log_faults(FarCycle::Phase phase, const char* name);

 public:
  // count_faults reads the current counts of the collector's threads. The phase Rebuild has a name for the log, and one
  // for the report. Shenandoah's evacuates and updates references.
  static void initialize(void (*count_faults)(FarFaults*), const char* log_name, const char* name);
  static void begin_marking();
  // was_active: pages were absent, or marked from summaries.
  static void end_marking(const FarCounts& counts, size_t absent_pages, size_t summaries, bool was_active, bool is_complete);
  static void add_rebuild(size_t asked, size_t given_back);
  static void end_rebuild();
  // Called after the rebuild.
  static void set_requests(const FarRequests& requests, size_t most);
  static void set_summaries(size_t pages, size_t bytes);
  static void end_cycle();

  // Finds the oldest retained cycle after this id. Returns false if there is none.
  static bool next(jlong id, FarCycle& found);
  static void print_on(outputStream* out);
};

#endif // SHARE_GC_TERRACE_FAR_FARSTATISTICS_HPP
