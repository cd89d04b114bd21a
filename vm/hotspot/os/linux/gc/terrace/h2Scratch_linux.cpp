/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/terrace/h2/base/h2Calls.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Scratch.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2FileSystem_linux.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals.hpp"
#include "runtime/os.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// Two tables of this marking, one of the previous marking, and two that are being released.
static const int SlotCount = 5;

struct Slot {
  char*        start;
  int          fd;
  volatile int is_taken;
};

static struct {
  Slot   at[SlotCount];
  size_t size;                            // of one slot, or 0 if reserve() created none
} slots;

static void close_file(int fd) {
  if (::close(fd) != 0 || H2Calls::fails(H2Calls::scratch_close)) {
    log_debug(gc, h2)("Closing the file of a table: %s", H2FileSystem::text_of(errno));  // its data is not needed any more
  }
}

// Maps a file that has no space yet, without access. Returns MAP_FAILED and sets errno on failure.
static void* map_file(int fd, size_t size) {
  void* const p = H2_CALL(scratch_mmap, MAP_FAILED, H2File::map_beside(size, MAP_SHARED, fd));
  if (p != MAP_FAILED && H2Storage::of_h2().prepare_mapping((char*)p, size) != NULL) {
    const int error = errno;
    ::munmap(p, size);
    errno = error;
    return MAP_FAILED;
  }
  return p;
}

// Returns false and sets errno if the space is missing.
static bool take_space(int fd, size_t size) {
  if (H2Storage::of_h2().lack_of_space(size) != NULL) {
    errno = ENOSPC;
    return false;
  }
  int result;
  do {
    result = H2_CALL(scratch_fallocate, -1, ::fallocate(fd, 0, 0, (off_t)size));
  } while (result != 0 && errno == EINTR);
  return result == 0 ||
         (errno == EOPNOTSUPP && H2_CALL(scratch_ftruncate, -1, ::ftruncate(fd, (off_t)size)) == 0);
}

static bool drop_space(int fd) {
  return H2_CALL(scratch_drop, -1, ::ftruncate(fd, 0)) == 0;
}

static bool set_access(char* start, size_t size, int access) {
  return (access == PROT_NONE ? H2_CALL(scratch_deny, -1, ::mprotect(start, size, access))
                              : H2_CALL(scratch_allow, -1, ::mprotect(start, size, access))) == 0;
}

void H2Scratch::reserve(size_t largest_size) {
  size_t limit;
  if (os::has_allocatable_memory_limit(&limit)) {
    log_debug(gc, h2)("No address space is kept for marks: it is limited (ulimit -v)");
    return;
  }
  for (int i = 0; i < SlotCount; i++) {
    const int fd = H2Storage::of_h2().create_file(H2Calls::scratch_tmpfile);
    void* const p = fd < 0 ? MAP_FAILED : map_file(fd, largest_size);
    if (p == MAP_FAILED) {
      log_info(gc, h2)("Marks of H2 have no mappings of their own: %s. A marking through H2 fails when the process has none left",
                       H2FileSystem::text_of(errno));
      if (fd >= 0) {
        close_file(fd);
      }
      while (--i >= 0) {
        ::munmap(slots.at[i].start, largest_size);
        close_file(slots.at[i].fd);
      }
      return;
    }
    slots.at[i].start = (char*)p;
    slots.at[i].fd = fd;
    H2File::leave_out_of_core(slots.at[i].start, largest_size);
  }
  slots.size = largest_size;
}

static int claim_slot(size_t size) {
  for (int i = 0; size <= slots.size && i < SlotCount; i++) {
    if (Atomic::cmpxchg(&slots.at[i].is_taken, 0, 1) == 0) {
      return i;
    }
  }
  return -1;
}

static void unlock_slot(int slot) {
  if (H2_CALL(unlock_new, -1, ::munlock(slots.at[slot].start, slots.size)) != 0) {
    log_debug(gc, h2)("The mapping of a table may be locked: %s", H2FileSystem::text_of(errno));
  }
}

void H2Scratch::unlock_reserved() {
  for (int i = 0; slots.size != 0 && i < SlotCount; i++) {
    unlock_slot(i);
  }
}

const char* H2Scratch::map_slot(int slot) {
  char* const start = slots.at[slot].start;
  unlock_slot(slot);                    // the program may have locked its memory meanwhile
  _start = start;
  _fd = slots.at[slot].fd;
  _slot = slot;
  const char* error = NULL;
  if (!take_space(_fd, _size)) {
    error = H2FileSystem::text_of(errno);
    drop_space(_fd);                    // no data was written
    Atomic::release_store(&slots.at[slot].is_taken, 0);
    *this = H2Scratch();
  }
  return error;
}

const char* H2Scratch::map_new() {
  const int fd = H2Storage::of_h2().create_file(H2Calls::scratch_tmpfile);
  void* const p = fd < 0 ? MAP_FAILED : map_file(fd, _size);
  if (p == MAP_FAILED || !take_space(fd, _size)) {
    const char* const error = H2FileSystem::text_of(errno);
    if (p != MAP_FAILED) {
      ::munmap(p, _size);
    }
    if (fd >= 0) {
      close_file(fd);
    }
    return error;
  }
  _start = (char*)p;
  _fd = fd;
  return NULL;
}

void H2Scratch::map_memory(const char* why_no_file) {
  static const julong SmallPart = 8;
  if (_size > os::available_memory() / SmallPart) {
    return;
  }
  log_info(gc, h2)("No file for " SIZE_FORMAT "K of marks in %s: %s; they are in memory", _size / K, H2Storage::of_h2().flag(), why_no_file);
  void* const p = H2_CALL(scratch_anonymous, MAP_FAILED, H2File::map_beside(_size, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  _start = p == MAP_FAILED ? NULL : (char*)p;
}

const char* H2Scratch::map(size_t size) {
  const int slot = claim_slot(size);
  _size = size;
  const char* error = slot >= 0 ? map_slot(slot) : map_new();
  if (error != NULL) {
    _size = size;
    map_memory(error);
    if (!is_mapped()) {
      *this = H2Scratch();
      return error;
    }
  }
  if (!set_access(_start, _slot >= 0 ? slots.size : _size, PROT_READ | PROT_WRITE)) {
    error = H2FileSystem::text_of(errno);
    unmap();
    return error;
  }
  if (DumpSharedMappingsInCore) {
    if (_slot >= 0) {
      H2File::include_in_core(_start, _size);
    }
  } else if (_slot < 0) {
    H2File::leave_out_of_core(_start, _size);
  }
  return NULL;
}

// If the file cannot be emptied, the slot is not used again, because it contains old marks.
void H2Scratch::release_slot() {
  if (!set_access(_start, slots.size, PROT_NONE)) {
    log_debug(gc, h2)("The mapping of a table stays accessible: %s", H2FileSystem::text_of(errno));
  }
  if (DumpSharedMappingsInCore) {
    H2File::leave_out_of_core(_start, slots.size);
  }
  if (drop_space(_fd)) {
    Atomic::release_store(&slots.at[_slot].is_taken, 0);
  } else {
    log_warning(gc, h2)("The table of a marking through H2 keeps " SIZE_FORMAT "M of %s: %s",
                        _size / M, H2Storage::of_h2().flag(), H2FileSystem::text_of(errno));
  }
}

void H2Scratch::unmap_new() {
  if (_fd >= 0) {
    close_file(_fd);
  }
  if (H2_CALL(scratch_munmap, -1, ::munmap(_start, _size)) != 0) {
    log_warning(gc, h2)("The table of a marking through H2 keeps " SIZE_FORMAT "M of %s: %s",
                        _size / M, H2Storage::of_h2().flag(), H2FileSystem::text_of(errno));
  }
}

void H2Scratch::unmap() {
  if (_slot >= 0) {
    release_slot();
  } else {
    unmap_new();
  }
  *this = H2Scratch();
}

const char* H2Scratch::writeback_error() const {
  return _fd < 0 ? NULL : H2File::writeback_error_of(_fd);
}
