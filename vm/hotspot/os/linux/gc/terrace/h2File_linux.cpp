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
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2FileSystem_linux.hpp"
#include "gc/terrace/pageCache_linux.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

H2File::Mapping H2File::_mapping = { NULL, -1, -1, true, 0 };

// Huge pages need the same alignment in memory and in the file.
static const size_t HugePage = 2 * M;

// The setting of coredump_filter for shared mappings has no effect here, because the system treats the
// mapping of an unlinked file as memory without a file.
static void leave_out_of_core(char* start, size_t size) {
  if (H2_CALL(out_of_core, -1, ::madvise(start, size, MADV_DONTDUMP)) != 0) {
    log_debug(gc, h2)("Core dumps contain all of H2Size: %s", H2FileSystem::text_of(errno));
  }
}

void H2File::include_in_core(char* start, size_t size) {
  if (DumpSharedMappingsInCore && H2_CALL(into_core, -1, ::madvise(start, size, MADV_DODUMP)) != 0) {
    log_debug(gc, h2)("Core dumps do not contain all of H2: %s", H2FileSystem::text_of(errno));
  }
}

// Creates a mapping without access, and unlocks it. If the process has locked its future mappings
// (mlockall), the mapping would be locked, and would be read as soon as it became accessible. Returns
// MAP_FAILED and sets errno on failure.
static void* map_unlocked(void* address, size_t size, int flags, int fd, off_t offset) {
  void* const p = ::mmap(address, size, PROT_NONE, flags | MAP_NORESERVE, fd, offset);
  if (p != MAP_FAILED && H2_CALL(unlock_new, -1, ::munlock(p, size)) != 0) {
    log_debug(gc, h2)("A new mapping may be locked: %s", H2FileSystem::text_of(errno));
  }
  return p;
}

static void advise_random(char* start, size_t size, bool is_random) {
  static bool has_warned = false;
  if (H2_CALL(random, -1, ::madvise(start, size, is_random ? MADV_RANDOM : MADV_NORMAL)) != 0 && !has_warned) {
    log_warning(gc, h2)("H2RandomAccess: %s", H2FileSystem::text_of(errno));
    has_warned = true;
  }
}

static void advise_huge_pages(char* start, size_t size, bool wanted) {
  static bool has_warned = false;
  if (wanted && H2_CALL(hugepage, -1, ::madvise(start, size, MADV_HUGEPAGE)) != 0) {
    const int error = errno;
    if (!has_warned) {
      log_warning(gc, h2)("H2HugePages: %s", H2FileSystem::text_of(error));
      has_warned = true;
    }
    // After other errors, such as too many mappings, the system may accept it for other regions.
    H2HugePages = error != EINVAL && H2HugePages;
  }
}

void H2File::advise_sequential(char* start, size_t size) {
  ::advise_random(start, size, false);
  advise_huge_pages(start, size, H2HugePages);
}

void H2File::advise_random(char* start, size_t size, bool had_huge_pages) {
  if (had_huge_pages && H2_CALL(hugepage, -1, ::madvise(start, size, MADV_NOHUGEPAGE)) != 0) {
    log_debug(gc, h2)("Regions that are read at random keep huge pages: %s", H2FileSystem::text_of(errno));
  }
  ::advise_random(start, size, true);
}

const char* H2File::map(char* base, size_t size, bool have_own_advice) {
  _mapping.fd = H2Storage::of_h2().create_file(H2Calls::tmpfile);
  if (_mapping.fd < 0) {
    return H2FileSystem::text_of(errno);
  }
  _mapping.base = align_down(base, HugePage);
  const off_t offset = (off_t)(base - _mapping.base);
  if (H2_CALL(ftruncate, -1, ::ftruncate(_mapping.fd, offset + (off_t)size)) != 0) {
    const int error = errno;
    return error == EFBIG ? "a file of H2Size is too large here (file system limit, or ulimit -f); choose a smaller H2Size"
                          : H2FileSystem::text_of(error);
  }
  if (H2_CALL(mmap, MAP_FAILED, map_unlocked(base, size, MAP_SHARED | MAP_FIXED, _mapping.fd, offset)) == MAP_FAILED) {
    return errno == EAGAIN ? "the process locks all its memory (mlockall), and may not lock as much as H2Size; raise ulimit -l"
                           : H2FileSystem::text_of(errno);
  }
  const char* const error = H2Storage::of_h2().prepare_mapping(base, size);
  if (error != NULL) {
    return error;
  }
  leave_out_of_core(base, size);
  const long file_system = H2FileSystem::type_of(_mapping.fd);
  H2Storage::of_h2().warn_of_file_system(file_system);
  if (FLAG_IS_DEFAULT(H2HugePages) && (H2RandomAccess || !H2FileSystem::has_huge_pages(file_system))) {
    FLAG_SET_ERGO(H2HugePages, false);
  }
  if (!have_own_advice) {
    ::advise_random(base, size, H2RandomAccess);
    advise_huge_pages(base, size, H2HugePages);
  }
  log_info(gc, h2)("Huge pages: %s", H2HugePages ? "on" : "off");
  return NULL;
}

const char* H2File::set_access(char* start, size_t size, bool accessible) {
  const int result = accessible ? H2_CALL(allow, -1, ::mprotect(start, size, PROT_READ | PROT_WRITE))
                                : H2_CALL(deny, -1, ::mprotect(start, size, PROT_NONE));
  return result == 0 ? NULL : errno == ENOMEM ? "too many mappings (vm.max_map_count)" : H2FileSystem::text_of(errno);
}

const char* H2File::locked_memory(size_t* result) {
  if (_mapping.status_fd < 0) {
    _mapping.status_fd = H2_CALL(status_open, -1, ::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
    if (_mapping.status_fd < 0) {
      return H2FileSystem::text_of(errno);
    }
  }
  char text[8 * K];
  const ssize_t length = H2_CALL(status_read, -1, ::pread(_mapping.status_fd, text, sizeof(text) - 1, 0));
  if (length < 0) {
    return H2FileSystem::text_of(errno);
  }
  text[length] = 0;
  const char* const line = strstr(text, "\nVmLck:");
  if (line == NULL) {
    return "/proc/self/status does not say";
  }
  *result = (size_t)strtoull(line + strlen("\nVmLck:"), NULL, 10) * K;
  return NULL;
}

const char* H2File::unlock(char* start, size_t size) {
  // The system visits locked memory page by page, while page faults of the process wait.
  static const size_t Portion = 64 * M;
  char* const end = start + size;
  for (char* p = start; p < end; p += Portion) {
    if (H2_CALL(unlock, -1, ::munlock(p, MIN2(Portion, (size_t)(end - p)))) != 0) {
      return H2FileSystem::text_of(errno);
    }
  }
  return NULL;
}

// Returns the bytes of a range that are in memory, or if_unknown if the system does not say.
static size_t bytes_in_memory(char* start, size_t size, size_t if_unknown) {
  static const size_t Batch = 1024;
  const size_t page = (size_t)os::vm_page_size();
  unsigned char in_memory[Batch];
  char* const end = start + size;
  size_t bytes = 0;
  for (char* from = align_down(start, page); from < end; from += Batch * page) {
    const size_t pages = MIN2(Batch, align_up((size_t)(end - from), page) / page);
    if (H2_CALL(mincore, -1, ::mincore(from, pages * page, in_memory)) != 0) {
      return if_unknown;
    }
    for (size_t i = 0; i < pages; i++) {
      bytes += (in_memory[i] & 1) * page;
    }
  }
  return MIN2(bytes, size);
}

// Checks the free space before each portion, because other processes allocate meanwhile.
static const char* allocate_with_checks(int fd, char* start, size_t size, off_t offset, bool* is_full) {
  static const size_t Portion = 64 * M;
  for (size_t done = 0; done < size; done += Portion) {
    const size_t bytes = MIN2(Portion, size - done);
    // The pages of a reused region may still be allocated.
    const size_t missing = bytes - bytes_in_memory(start + done, bytes, 0);
    const char* lack;
    int result = 0;
    do {
      lack = missing != 0 ? H2Storage::of_h2().lack_of_space(missing) : NULL;
      *is_full = lack != NULL;
      result = *is_full ? 0 : H2_CALL(fallocate, -1, ::fallocate(fd, 0, offset + (off_t)done, (off_t)bytes));
    } while (result != 0 && errno == EINTR);
    if (*is_full || result != 0) {
      *is_full |= result != 0 && (errno == ENOSPC || errno == ENOMEM);
      return result == 0 ? lack : H2FileSystem::text_of(errno);
    }
  }
  return NULL;
}

const char* H2File::allocate(char* start, size_t size, bool* is_full) {
  if (H2Storage::of_h2().is_deadly_when_full()) {
    return allocate_with_checks(_mapping.fd, start, size, (off_t)(start - _mapping.base), is_full);
  }
  int result;
  do {
    result = H2_CALL(fallocate, -1, ::fallocate(_mapping.fd, 0, (off_t)(start - _mapping.base), (off_t)size));
  } while (result != 0 && errno == EINTR);
  *is_full = result != 0 && (errno == ENOSPC || errno == EDQUOT);
  // Without fallocate, the writes of the transfer allocate space and report errors.
  _mapping.allocates = result == 0 || errno != EOPNOTSUPP;
  return result == 0 || !_mapping.allocates ? NULL : H2FileSystem::text_of(errno);
}

const char* H2File::release(char* start, size_t size) {
  int result;
  do {
    result = H2_CALL(punch, -1, ::fallocate(_mapping.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(start - _mapping.base),
                                            (off_t)size));
  } while (result != 0 && errno == EINTR);
  return result == 0 ? NULL : H2FileSystem::text_of(errno);
}

const char* H2File::write(const char* to, const void* from, size_t size) {
  if (H2FailTransferAt != 0 && Atomic::add(&_mapping.writes, (uintx)1) == H2FailTransferAt) {
    return H2FileSystem::text_of(ENOSPC);
  }
  const char* data = (const char*)from;
  off_t offset = (off_t)(to - _mapping.base);
  while (size > 0) {
    const ssize_t n = H2_CALL(pwrite, -1, ::pwrite(_mapping.fd, data, size, offset));
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return H2FileSystem::text_of(errno);
    }
    if (n == 0) {
      return H2FileSystem::text_of(ENOSPC);
    }
    data += n;
    offset += n;
    size -= (size_t)n;
  }
  return NULL;
}

const char* H2File::write_zeros(char* start, size_t size) {
  static const char zeros[64 * K] = {};
  const char* error = NULL;
  for (size_t done = 0; done < size && error == NULL; done += sizeof(zeros)) {
    error = write(start + done, zeros, MIN2(sizeof(zeros), size - done));
  }
  return error;
}

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22           // since Linux 5.14
#endif

void H2File::prefetch(char* start, size_t size, bool has_huge_pages) {
  // Stay in the range, because the next region may be inaccessible.
  char* const first = align_down(start, os::vm_page_size());
  char* const end = align_up(start + size, os::vm_page_size());
  // MADV_WILLNEED reads small pages even if huge pages are possible.
  const int advice = has_huge_pages ? MADV_POPULATE_READ : MADV_WILLNEED;
  for (char* p = align_down(start, HugePage); p < end; p += HugePage) {
    char* const from = MAX2(p, first);
    if (H2_CALL(prefetch, -1, ::madvise(from, (size_t)(MIN2(p + HugePage, end) - from), advice)) != 0) {
      return;
    }
  }
}

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21                 // since Linux 5.4
#endif

void H2File::page_out(char* start, size_t size, bool has_huge_pages) {
  const size_t page = has_huge_pages ? HugePage : (size_t)os::vm_page_size();
  char* const first = MAX2(align_down(start, page), _mapping.base);
  char* const last = align_down(start + size, page);
  // If the system refuses this advice, it evicts the pages later.
  if (first < last && H2_CALL(pageout, -1, ::madvise(first, (size_t)(last - first), MADV_PAGEOUT)) != 0) {
    log_debug(gc, h2)("Paging out: %s", H2FileSystem::text_of(errno));
  }
}

// The state of a part of the file of H2, or no pages if the system does not say.
static CacheState cache_state(int fd, size_t offset, size_t size) {
  CacheState state;
  return H2_CALL(cache_state, -1, page_cache_state(fd, offset, size, &state)) == 0 ? state : CacheState();
}

bool H2File::give_back(char* start, size_t size) {
  const size_t offset = (size_t)(start - _mapping.base);
  const CacheState before = cache_state(_mapping.fd, offset, size);
  // The mapping is shared, so the pages keep their contents. The system does not drop pages while they
  // are mapped.
  if (H2_CALL(unmap_pages, -1, ::madvise(start, size, MADV_DONTNEED)) != 0) {
    log_debug(gc, h2)("Unmapping pages of a slow region: %s", H2FileSystem::text_of(errno));
  }
  const int error = H2Calls::fails(H2Calls::drop_pages)
    ? errno : ::posix_fadvise(_mapping.fd, (off_t)offset, (off_t)size, POSIX_FADV_DONTNEED);
  if (error != 0) {
    log_debug(gc, h2)("Dropping pages of a slow region from memory: %s", H2FileSystem::text_of(error));
  }
  // The system sometimes keeps huge pages without a reason, and drops them at the next request. A few
  // pages may be present again, because the program reads them.
  return before.in_writeback == 0 && (before.clean() == 0 || cache_state(_mapping.fd, offset, size).clean() < before.clean() / 2);
}

size_t H2File::resident(char* start, size_t size) {
  return bytes_in_memory(start, size, size);    // if unknown, assume that all pages are in memory
}

bool H2File::mapped(char* start, size_t size, size_t* bytes) {
  static const int pagemap = H2_CALL(pagemap_open, -1, ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  static const size_t Batch = 512;
  static const uint64_t Present = (uint64_t)1 << 63;
  const size_t page = (size_t)os::vm_page_size();
  uint64_t entries[Batch];
  *bytes = 0;
  for (size_t done = 0; done < size; done += Batch * page) {
    const size_t wanted = MIN2(Batch, (size - done) / page) * sizeof(uint64_t);
    const off_t offset = (off_t)((uintptr_t)(start + done) / page * sizeof(uint64_t));
    if (pagemap < 0 || H2_CALL(scan_pages, -1, ::pread(pagemap, entries, wanted, offset)) != (ssize_t)wanted) {
      return false;
    }
    for (size_t i = 0; i < wanted / sizeof(uint64_t); i++) {
      *bytes += (entries[i] & Present) != 0 ? page : 0;
    }
  }
  return true;
}

// Returns the error of a writeback. ENOSYS, EOPNOTSUPP and similar errors say that the request is not
// supported.
static const char* text_of_writeback_error(int asked) {
  return asked == 0 || (errno != EIO && errno != ENOSPC && errno != EDQUOT) ? NULL : H2FileSystem::text_of(errno);
}

const char* H2File::writeback_error() {
  return text_of_writeback_error(H2_CALL(sync_file_range, -1, ::sync_file_range(_mapping.fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE)));
}

const char* H2File::writeback_error_of(int fd) {
  return text_of_writeback_error(
    H2_CALL(scratch_sync_file_range, -1, ::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE)));
}

void* H2File::map_beside(size_t size, int flags, int fd) {
  return map_unlocked(NULL, size, flags, fd, 0);
}

void H2File::leave_out_of_core(char* start, size_t size) {
  ::leave_out_of_core(start, size);
}

const void* H2File::failed_address(int sig, const void* siginfo) {
  return sig == SIGBUS && siginfo != NULL ? ((const siginfo_t*)siginfo)->si_addr : NULL;
}

bool H2Memory::release(char* start, size_t size) {
  char* const first = align_up(start, os::vm_page_size());
  char* const last = align_down(start + size, os::vm_page_size());
  return first < last && H2_CALL(zero, -1, ::madvise(first, (size_t)(last - first), MADV_DONTNEED)) == 0;
}

void H2Memory::zero(char* start, size_t size) {
  char* const first = align_up(start, os::vm_page_size());
  char* const last = align_down(start + size, os::vm_page_size());
  if (first >= last) {
    memset(start, 0, size);
    return;
  }
  memset(start, 0, (size_t)(first - start));
  memset(last, 0, (size_t)(start + size - last));
  if (!release(first, (size_t)(last - first))) {
    memset(first, 0, (size_t)(last - first));
  }
}
