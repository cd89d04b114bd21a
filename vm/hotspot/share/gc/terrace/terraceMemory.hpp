/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACEMEMORY_HPP
#define SHARE_GC_TERRACE_TERRACEMEMORY_HPP

#include "memory/allStatic.hpp"
#include "runtime/os.hpp"
#include "services/memTracker.hpp"
#include "utilities/globalDefinitions.hpp"

// Commits memory for tables that grow while the program runs.
class TerraceMemory : public AllStatic {
 public:
  // Unlike os::commit_memory, this does not map memory anew. A new mapping fails if the process has no mappings
  // left (vm.max_map_count), and that failure ends the VM. This function only changes the access. It needs no
  // mapping if the range continues the committed part, and it reports a failure to the caller.
  static bool commit(char* start, size_t size) {
    if (!os::protect_memory(start, size, os::MEM_PROT_RW)) {
      return false;
    }
    MemTracker::record_virtual_memory_commit(start, size, CALLER_PC);
    return true;
  }
};

#endif // SHARE_GC_TERRACE_TERRACEMEMORY_HPP
