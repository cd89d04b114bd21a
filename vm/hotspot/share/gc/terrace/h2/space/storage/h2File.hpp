/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2FILE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2FILE_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The file behind H2. It is created in the user's directory with mode 0600 and unlinked at
// once, so that no file remains however the VM ends. With other storage (H2Storage), it is a file
// in memory.
// Functions that can fail return NULL on success, else an error message.
class H2File : public AllStatic {
  struct Mapping {
    char* base;                     // address of offset 0
    int   fd;
    int   status_fd;                // of /proc/self/status
    bool  allocates;
    volatile uintx writes;          // counted only for H2FailTransferAt
  };

  static Mapping _mapping;

 public:
  // Maps the file without access. Unless parts of it will have own advice for reads, all of it gets that of the flags.
  static const char* map(char* base, size_t size, bool have_own_advice);
  static const char* set_access(char* start, size_t size, bool accessible);
  // Reads the bytes that the process has locked in memory.
  static const char* locked_memory(size_t* result);
  // Unlocks a range of the mapping, in case mlockall has locked it.
  static const char* unlock(char* start, size_t size);
  // Allocates space on the device for the mapped range. If that fails, is_full tells whether
  // there is no free space.
  static const char* allocate(char* start, size_t size, bool* is_full);
  // Whether the file system supports allocation. If not, only a write can report a full device.
  static bool allocates()           { return _mapping.allocates; }
  // Releases the space of the range on the device.
  static const char* release(char* start, size_t size);
  // Includes this range in core dumps, unless DumpSharedMappingsInCore is off. Ranges that were
  // never in use are not included, because they would add up to H2Size of zeros.
  static void include_in_core(char* start, size_t size);
  // Writes through the page cache, which is coherent with the mapping.
  static const char* write(const char* to, const void* from, size_t size);
  static const char* write_zeros(char* start, size_t size);
  // Sets how the system reads a range from now on (H2ReadModes): with readahead, and by huge pages if
  // H2HugePages is on, or only the accessed page. If the system refuses, nothing changes.
  static void advise_sequential(char* start, size_t size);
  static void advise_random(char* start, size_t size, bool had_huge_pages);
  // Reads a range ahead, and returns when most of it is in memory. The thread that needs a page
  // handles its errors.
  static void prefetch(char* start, size_t size, bool has_huge_pages);
  // Asks the system to evict a range that was only read. The last page stays if it extends
  // beyond the range, so that the next call finds it in memory.
  static void page_out(char* start, size_t size, bool has_huge_pages);
  // Evicts a range, even if the program has written it. Dirty pages stay, but their writeback
  // begins, so a later call finds them clean. Returns false if some pages are not yet evicted,
  // and true if the system cannot tell.
  static bool give_back(char* start, size_t size);
  // The bytes of a range that are in memory.
  static size_t resident(char* start, size_t size);
  // Finds the bytes of a page-aligned range that are mapped, because the process has accessed them or their
  // neighbours. Returns false if the system does not tell.
  static bool mapped(char* start, size_t size, size_t* bytes);
  // Returns an error if a page failed to reach the device since the last call. Waits for active
  // writeback, but starts none.
  static const char* writeback_error();

  // The functions from here on are for other files of the storage (H2Scratch).
  // Creates a mapping without access that is not locked. Returns MAP_FAILED and errno on failure.
  static void* map_beside(size_t size, int flags, int fd);
  // Like writeback_error(), for the given file.
  static const char* writeback_error_of(int fd);
  static void leave_out_of_core(char* start, size_t size);

  // Returns the address whose page the system could not provide, if the signal reports that,
  // else NULL.
  static const void* failed_address(int sig, const void* siginfo);
};

// Functions for anonymous memory.
class H2Memory : public AllStatic {
 public:
  // Sets the range to zero. Its whole pages are not resident afterwards.
  static void zero(char* start, size_t size);
  // Whole pages of the range are zero and not resident afterwards. Returns false if there are none, or if
  // the system keeps them.
  static bool release(char* start, size_t size);
};

#endif // SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2FILE_HPP
