/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERNODE_HPP
#define SHARE_GC_TERRACE_TIERS_TIERNODE_HPP

#include "gc/terrace/terrace_globals.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The NUMA node that AllocateH2OnNode names, most often one without processors: CXL memory, persistent memory as system RAM.
// H2 is a file in memory whose pages are bound to the node. All other memory of the process comes from the fast nodes: those
// with processors, but for that one. On a machine with one node, that is the fast one, too.
//
// The system does not fail an allocation on a full node it is bound to: it ends a process. So whoever is about to allocate asks
// has_room before. Functions that can fail return NULL on success, else a message.
class TierNode : public AllStatic {
 public:
  static bool is_used()             { return AllocateH2OnNode >= 0; }

  // Before there are threads: binds what the process will allocate to the fast nodes, but for H2.
  static const char* initialize();
  static bool has_fast_nodes();
  // Of the node, in bytes; 0 if the system does not tell. Of free memory, what the system keeps for itself is left out.
  static julong total_memory();
  static julong free_memory();
  static bool has_room(size_t size) { return free_memory() >= size; }

  // A file in memory; -1 and errno on failure.
  static int create_file();
  // From now on, pages of a new shared mapping are allocated on the node, whoever needs them first.
  static const char* bind(char* start, size_t size);

  // Whether the system can move pages.
  static const char* check_moves();
  // Moves pages of a page-aligned range to a fast node, or back. Returns how many bytes did move; is_all tells whether all of
  // the range is there now, and is_full, whether it is not for want of room.
  static size_t move(char* start, size_t size, bool to_fast, bool* is_all, bool* is_full);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERNODE_HPP
