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

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

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

// For -Xlog:gc+far: what a cycle did, and who waited for pages meanwhile.
class FarStatistics : public AllStatic {
 public:
  static void begin_marking();
  static void end_marking(const FarCounts& counts, size_t absent_pages, size_t summaries, bool is_complete);
  static void add_rebuild(size_t asked, size_t given_back);
  static void end_rebuild();
};

#endif // SHARE_GC_TERRACE_FAR_FARSTATISTICS_HPP
