/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2FILE_HPP
#define SHARE_GC_TERRACE_H2_H2FILE_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The file behind H2: created in the user's directory with mode 0600 and
// unlinked at once, so that nothing is left behind whatever ends the VM; or a
// file in memory, on a NUMA node (TierNode).
// Functions that can fail return NULL on success, else a message.
class H2File : public AllStatic {
  static char* _base;               // of offset 0
  static int   _fd;
  static int   _status_fd;          // of /proc/self/status
  static bool  _allocates;

 public:
  // For messages: the flag that says where the file is, with its value; where that is.
  static const char* flag();
  static const char* where();
  // At start, once: whether files can be created there.
  static const char* check();
  // Bytes an unprivileged process can still allocate there.
  static julong free_space();

  // Without access.
  static const char* map(char* base, size_t size);
  static const char* set_access(char* start, size_t size, bool accessible);
  // Takes the mapping out of memory that mlockall has locked.
  static const char* unlock(char* start, size_t size, bool* was_locked);
  // Gives the mapped range space on the device. If that fails, is_full tells whether
  // there is no space.
  static const char* allocate(char* start, size_t size, bool* is_full);
  // Whether the file system supports allocation. If not, only a write can report a full device.
  static bool allocates()           { return _allocates; }
  // Takes it back.
  static const char* release(char* start, size_t size);
  // Core dumps have this range, unless DumpSharedMappingsInCore is off. What was
  // never in use they leave out: they would have as many zeros as H2Size.
  static void include_in_core(char* start, size_t size);
  // Writes through the page cache, coherent with the mapping.
  static const char* write(const char* to, const void* from, size_t size);
  static const char* write_zeros(char* start, size_t size);
  // How the system reads a range from now on (H2ReadModes): by huge pages if H2HugePages is on, and
  // ahead; or the page that is accessed. Where it refuses, it goes on as before.
  static void advise_sequential(char* start, size_t size);
  static void advise_random(char* start, size_t size, bool had_huge_pages);
  // Reads ahead, and returns when most of it is there. Errors are left to whoever
  // needs the page.
  static void prefetch(char* start, size_t size, bool has_huge_pages);
  // Takes a range out of memory, if it was read only. Pages that reach beyond
  // its end stay, so that whoever goes on there finds them.
  static void page_out(char* start, size_t size, bool has_huge_pages);
  // Takes a range out of memory, whoever wrote it. What has yet to be written to
  // the device stays; that is begun, so that a later call finds it done. False if
  // some of it is not yet done; a system that cannot tell passes for done.
  static bool give_back(char* start, size_t size);
  // Bytes of a range that are in memory.
  static size_t resident(char* start, size_t size);
  // Bytes of a page-aligned range that the process has accessed, or that came with such pages. False if the system does not tell.
  static bool mapped(char* start, size_t size, size_t* bytes);
  // Whether a page failed to reach the device since the last call. Waits for
  // writeback under way, starts none.
  static const char* writeback_error();

  // For files beside it (H2Scratch). A file that is unlinked at once: its descriptor, or -1 and errno.
  static int create_beside();
  // Without access, not locked. MAP_FAILED and errno on failure.
  static void* map_beside(size_t size, int flags, int fd);
  // As writeback_error.
  static const char* writeback_error_of(int fd);
  static void leave_out_of_core(char* start, size_t size);
  static const char* text_of(int error);

  // The address whose page the system could not provide, if that is what a
  // signal says, else NULL.
  static const void* failed_address(int sig, const void* siginfo);
};

// Anonymous memory.
class H2Memory : public AllStatic {
 public:
  // Sets the range to zero. Its whole pages are not resident afterwards.
  static void zero(char* start, size_t size);
  // Whole pages of the range are zero and not resident afterwards. Returns false if there are none, or if
  // the system keeps them.
  static bool release(char* start, size_t size);
};

#endif // SHARE_GC_TERRACE_H2_H2FILE_HPP
