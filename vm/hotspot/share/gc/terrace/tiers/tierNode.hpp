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

// The NUMA node that AllocateH2OnNode names. Most often it has no processors, such as CXL memory or persistent
// memory as system RAM. H2 is a file in memory whose pages are bound to the node. All other memory of the process
// comes from the fast nodes, which are the other nodes with processors. On a machine with one node, this node is
// also the fast one.
//
// If a bound node is full, the system does not fail the allocation but ends a process. So call has_room before each
// allocation. Functions that can fail return NULL on success, and an error message otherwise.
class TierNode : public AllStatic {
 public:
  // Called before threads exist. Binds the later allocations of the process, except H2, to the fast nodes.
  static const char* initialize();
  static bool has_fast_nodes();
  // Memory of the node in bytes, or 0 if the system does not say. Free memory excludes the reserve of the system.
  static julong total_memory();
  static julong free_memory();
  static bool has_room(size_t size) { return free_memory() >= size; }

  // Creates a file in memory. Returns -1 and sets errno on failure.
  static int create_file();
  // Binds the pages of a new shared mapping to the node, independent of the thread that touches them first.
  static const char* bind(char* start, size_t size);

  // Whether the system can move pages.
  static const char* check_moves();
  // Moves the pages of a page-aligned range to a fast node, or back. Returns the number of moved bytes. is_all
  // tells whether the whole range is there now, and is_full whether free space was missing.
  static size_t move(char* start, size_t size, bool to_fast, bool* is_all, bool* is_full);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERNODE_HPP
