/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2SCRATCH_HPP
#define SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2SCRATCH_HPP

#include "utilities/globalDefinitions.hpp"

// Zeroed memory in a file of its own beside that of H2, so that it can be written out under memory
// pressure. If there is no space for the file, it is anonymous memory, provided that it needs only
// a small part of the available memory.
//
// A collection may be running because the process has no mappings or descriptors left
// (vm.max_map_count, ulimit -n), in order to free some. So files and mappings are created when the
// VM starts. They have neither space nor access, so mlockall reads nothing there. Allowing access
// to a whole mapping needs no further mapping.
//
// Functions that can fail return NULL on success, and an error message otherwise.
class H2Scratch {
  friend class H2AgentTable;

  char*  _start;                    // must be first, for the agent
  size_t _size;
  int    _fd;                       // -1 if it has no file
  int    _slot;                     // slot created at the start, or -1

  const char* map_slot(int slot);
  const char* map_new();
  void map_memory(const char* why_no_file);
  void release_slot();
  void unmap_new();

 public:
  H2Scratch() : _start(NULL), _size(0), _fd(-1), _slot(-1) {}

  // Called at the start of the VM. Reserves space for the marks of one marking and of the
  // previous one, and for two tables that H2WritebackChecker has not released yet.
  static void reserve(size_t largest_size);
  // Unlocks the reserved mappings after mlockall has locked them.
  static void unlock_reserved();

  const char* map(size_t size);
  void unmap();
  // Returns an error message if a page failed to reach the device, and may be lost.
  const char* writeback_error() const;

  char* start() const           { return _start; }
  size_t size() const           { return _size; }
  bool is_mapped() const        { return _start != NULL; }
};

#endif // SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2SCRATCH_HPP
