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

// Which pages of H2 are accessed, as far as the system tells.
//
//   All     pages are taken out of the mapping, and those that are there again were accessed since: they come with a page fault
//           each, or, where they lie together, with one fault for some sixteen
//   Writes  pages are write-protected, and those that no longer are were written since, by a page fault each
class TierAccesses : public AllStatic {
 public:
  enum Kind { All, Writes };

  // Of H2, once it is mapped. NULL, or why accesses cannot be seen.
  static const char* open(Kind kind, char* start, size_t size);
  // From now on, only accessed pages of a page-aligned range count. False if the system refuses.
  static bool watch(char* start, size_t size);
  // Accessed pages of a page-aligned range. False if the system does not tell.
  static bool count(char* start, size_t size, size_t* pages);
  // Ditto, before they leave the mapping: those that were written do not count again when they are read.
  static bool take(char* start, size_t size, size_t* pages);
  // What an accessed page costs the program, of a processor.
  static double touch_nanos();
};

#endif // SHARE_GC_TERRACE_TIERS_TIERACCESSES_HPP
