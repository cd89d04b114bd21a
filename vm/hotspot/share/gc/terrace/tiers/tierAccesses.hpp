/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERACCESSES_HPP
#define SHARE_GC_TERRACE_TIERS_TIERACCESSES_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Detects which pages of H2 are accessed, with the help of the system.
//
//   All     removes pages from the mapping. Pages that are mapped again were accessed, at the cost of one page fault
//           each, or one fault per about sixteen adjacent pages
//   Writes  write-protects pages. Pages that lost the protection were written, at the cost of one page fault each
class TierAccesses : public AllStatic {
 public:
  enum Kind { All, Writes };

  // Called once H2 is mapped. Returns NULL, or the reason why accesses cannot be detected.
  static const char* open(Kind kind, char* start, size_t size);
  // Counts accesses to a page-aligned range from now on. Returns false if the system refuses.
  static bool watch(char* start, size_t size);
  // Counts the accessed pages of a page-aligned range. Returns false if the system does not say.
  static bool count(char* start, size_t size, size_t* pages);
  // Likewise, for pages that are about to leave the mapping. Written pages do not count again when they are read.
  static bool take(char* start, size_t size, size_t* pages);
  // The processor time that the program spends per accessed page.
  static double touch_nanos();
};

#endif // SHARE_GC_TERRACE_TIERS_TIERACCESSES_HPP
