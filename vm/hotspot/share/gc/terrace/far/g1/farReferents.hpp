/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARREFERENTS_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARREFERENTS_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"

class G1CMTask;

// Pages with java.lang.ref.Reference objects that are marked from their summaries. Marking must
// discover a Reference only if its referent is not marked. So when everything else is marked, it
// checks the referents that the summaries name. If all referents of a page are marked, none of its
// References would be discovered, and the page is not read. Otherwise marking continues: it reads the
// page and scans its References as usual, which may discover them, or mark more.
//
// A chain of soft references would need such a round for each link, and each link would wait for its
// page to be read. So after some rounds, referents are checked as soon as their page is marked. Before a
// worker scans a page, it follows the chain through the summaries, and prefetches the pages of the next
// links.
class FarReferents : public AllStatic {
  static const uint MostRounds = 8;

  static FarBits _pages;               // marked, but their referents have not been checked yet
  static uint    _rounds;              // in which a referent was not marked
  static volatile size_t _asked_ahead; // pages
  static volatile size_t _requests_ahead; // for these pages

  static bool is_target_page_marked(size_t page);
  template <typename Filter> static size_t find_unmarked(size_t page, Filter is_wanted);
  static bool are_referents_marked(size_t page);
  static void defer(size_t page);
  static bool is_next_link(size_t page);

 public:
  // Returns false if there is no memory.
  static bool initialize();
  // Called by a worker that marks a page from a summary with referents.
  static void add(size_t page);
  static void end();

  // Called when all workers have terminated. Checks the referents of the pages that were added since
  // the last call. Defers an object of each page with a referent that is not marked. Returns whether
  // there are any.
  static bool defers();
  // Prefetches the pages of References to which this page leads, up to a number of pages. Returns how many.
  static size_t ask_ahead(size_t page, size_t most);
  // Scans the References on such a page, whose objects are all marked.
  static void scan(G1CMTask* task, size_t page);
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARREFERENTS_HPP
