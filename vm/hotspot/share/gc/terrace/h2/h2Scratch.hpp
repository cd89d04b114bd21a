/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2SCRATCH_HPP
#define SHARE_GC_TERRACE_H2_H2SCRATCH_HPP

#include "utilities/globalDefinitions.hpp"

// Zeroed memory backed by a file of its own beside that of H2, so that it can be
// written out under memory pressure. Without space for the file, memory that
// cannot be written out, if that is a small part of what is available.
//
// A collection may be made because the process has no mappings or descriptors left
// (vm.max_map_count, ulimit -n), and is to free some. So files and mappings are
// made when the VM starts, without space, and without access, so that mlockall reads
// nothing there. To give a whole mapping access takes no further one.
//
// Functions that can fail return NULL on success, else a message.
class H2Scratch {
  friend class H2AgentTable;

  char*  _start;                    // first, for the agent
  size_t _size;
  int    _fd;                       // -1 if it has no file
  int    _slot;                     // of those made at the start; -1 if it is none

  const char* map_slot(int slot);
  const char* map_new();
  void map_memory(const char* why_no_file);
  void release_slot();
  void unmap_new();

 public:
  H2Scratch() : _start(NULL), _size(0), _fd(-1), _slot(-1) {}

  // At the start. Room for the marks of one marking, those of the marking before, and two
  // tables that the thread which looks for lost pages has not got to yet.
  static void reserve(size_t largest_size);
  // Takes what is kept out of memory that mlockall has locked.
  static void unlock_reserved();

  const char* map(size_t size);
  void unmap();
  // Whether a page of it failed to reach the device, and may have been lost.
  const char* writeback_error() const;

  char* start() const           { return _start; }
  size_t size() const           { return _size; }
  bool is_mapped() const        { return _start != NULL; }
};

#endif // SHARE_GC_TERRACE_H2_H2SCRATCH_HPP
