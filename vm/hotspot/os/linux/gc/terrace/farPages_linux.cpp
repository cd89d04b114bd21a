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
#include "gc/terrace/far/farBits.hpp"
#include "gc/terrace/far/farCalls.hpp"
#include "gc/terrace/far/farFaults.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/pagemapScan_linux.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceMemory.hpp"
#include "gc/terrace/userfaultfd_linux.hpp"
#include "jvm_io.h"
#include "logging/log.hpp"
#include "memory/allocation.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

// These may be missing in the system headers that Terrace is built with.
#ifndef MADV_FREE
#define MADV_FREE 8
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

// A bit of an entry of /proc/self/pagemap, which is used if PAGEMAP_SCAN is missing.
static const uint64_t EntrySwapped = (uint64_t)1 << 62;

static int pagemap = -1;
static bool has_scan = false;

static int uffd = -1;

static int scan(uintptr_t start, uintptr_t end, PageRegion* found, size_t most, uintptr_t& walked,
                uint64_t category = ScanSwapped, uint64_t flags = 0) {
  return FAR_CALL(pagemap_scan, -1, ::pagemap_scan(pagemap, start, end, found, most, walked, category, flags));
}

const char* FarPages::open_map() {
  pagemap = FAR_CALL(pagemap_open, -1, ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (pagemap < 0) {
    return "/proc/self/pagemap cannot be opened";
  }
  // Scan an empty range to find out whether the system supports the request.
  PageRegion none[1];
  uintptr_t walked = 0;
  has_scan = scan(0, 0, none, 1, walked) >= 0;
  if (!has_scan) {
    log_info(gc, far)("The system has no PAGEMAP_SCAN (Linux 6.7): reading /proc/self/pagemap instead, which takes longer");
  }
  return NULL;
}

// Both ways report absent pages in ascending order. All other pages are present.
bool FarPages::system_find_absent(size_t from, size_t to) {
  static const size_t Most = 256;
  size_t known = from;                 // the map is complete below this page
  if (has_scan) {
    PageRegion found[Most];
    while (known < to) {
      uintptr_t walked = 0;
      const int count = scan((uintptr_t)address_of(known), (uintptr_t)address_of(to), found, Most, walked);
      if (count < 0) {
        log_debug(gc, far)("PAGEMAP_SCAN failed: %s", os::strerror(errno));
        return false;
      }
      for (int i = 0; i < count; i++) {
        const size_t start = page_of((char*)found[i].start);
        const size_t end = page_of((char*)found[i].end);
        put_absent(known, start, false);
        put_absent(start, end, true);
        known = end;
      }
      const size_t reached = page_of((char*)walked);
      put_absent(known, reached, false);
      known = MAX2(known, reached);
    }
    return true;
  }
  uint64_t entries[Most];
  while (known < to) {
    const size_t wanted = MIN2(Most, to - known) * sizeof(uint64_t);
    const off_t offset = (off_t)((uintptr_t)address_of(known) >> _shift) * (off_t)sizeof(uint64_t);
    const ssize_t got = FAR_CALL(pagemap_read, (ssize_t)-1, ::pread(pagemap, entries, wanted, offset));
    if (got <= 0) {
      log_debug(gc, far)("Reading /proc/self/pagemap failed: %s", os::strerror(errno));
      return false;
    }
    for (size_t i = 0; i < (size_t)got / sizeof(uint64_t); i++) {
      _absent.par_at_put(known, (entries[i] & EntrySwapped) != 0);
      known++;
    }
  }
  return true;
}

bool FarWrites::open() {
  if (!has_scan) {
    log_info(gc, far)("No summaries of pages: they need PAGEMAP_SCAN (Linux 6.7)");
    return false;
  }
  uffd = FAR_CALL(userfaultfd, -1, userfaultfd_open());
  if (uffd < 0) {
    log_info(gc, far)("No summaries of pages: the system refuses userfaultfd (%s)", os::strerror(errno));
    return false;
  }
  if (FAR_CALL(userfaultfd_api, -1, userfaultfd_enable(uffd)) != 0) {
    log_info(gc, far)("No summaries of pages: userfaultfd does not watch writes (Linux 6.7): %s", os::strerror(errno));
    ::close(uffd);
    return false;
  }
  return true;
}

static bool register_pages(size_t from, size_t to) {
  const size_t size = (to - from) * os::vm_page_size();
  if (FAR_CALL(userfaultfd_register, -1, userfaultfd_register(uffd, FarPages::bottom_of(from), size)) == 0) {
    return true;
  }
  log_debug(gc, far)("UFFDIO_REGISTER failed: %s", os::strerror(errno));
  return false;
}

// Registers memory that was committed after the last registration, or never watched. The system
// splits a mapping between registered and other memory, and limits the number of mappings
// (vm.max_map_count). So register the whole heap, even if only some regions are watched.
bool FarWrites::prepare(size_t from, size_t to) {
  return register_pages(0, FarPages::count()) || register_pages(from, to);
}

bool FarWrites::scan_written(size_t from, size_t to, bool watch, BitMap& written) {
  static const size_t Most = 128;
  PageRegion found[Most];
  size_t known = from;
  bool is_prepared = false;
  while (known < to) {
    uintptr_t walked = 0;
    const int count = FAR_CALL(written_scan, -1,
                               scan((uintptr_t)FarPages::bottom_of(known), (uintptr_t)FarPages::bottom_of(to), found, Most, walked,
                                    ScanWritten, watch ? ScanProtect | ScanCheckProtectable : 0));
    if (count < 0 && errno == EPERM && watch && !is_prepared) {
      is_prepared = true;
      // The failed call may have protected some of these pages.
      written.set_range(known - from, to - from);
      if (!prepare(known, to)) {
        return false;
      }
      continue;
    }
    if (count < 0) {
      log_debug(gc, far)("PAGEMAP_SCAN of written pages failed: %s", os::strerror(errno));
      return false;
    }
    for (int i = 0; i < count; i++) {
      written.set_range(FarPages::page_of((char*)found[i].start) - from, FarPages::page_of((char*)found[i].end) - from);
    }
    known = FarPages::page_of((char*)walked);
  }
  return true;
}

bool FarWrites::has_swap() {
  struct sysinfo info;
  return ::sysinfo(&info) == 0 && info.totalswap > 0;
}

bool FarWrites::has_huge_pages() {
  if (UseTransparentHugePages) {
    return true;
  }
  const int fd = FAR_CALL(huge_pages_open, -1, ::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC));
  if (fd < 0) {
    return false;
  }
  char text[64];
  const ssize_t length = ::read(fd, text, sizeof(text) - 1);
  ::close(fd);
  text[MAX2(length, (ssize_t)0)] = 0;
  return strstr(text, "[always]") != NULL;
}

static bool advise(const char* name, bool done) {
  if (!done) {
    log_debug(gc, far)("madvise(%s) failed: %s", name, os::strerror(errno));
  }
  return done;
}

bool FarPages::advise_willneed(char* start, size_t size) {
  return advise("MADV_WILLNEED", FAR_CALL(willneed, -1, ::madvise(start, size, MADV_WILLNEED)) == 0);
}

// Like advise_willneed, for roots of pauses.
bool FarPages::advise_read(char* start, size_t size) {
  return advise("MADV_WILLNEED", FAR_CALL(read_roots, -1, ::madvise(start, size, MADV_WILLNEED)) == 0);
}

bool FarPages::advise_cold(char* start, size_t size) {
  return advise("MADV_COLD", FAR_CALL(cold, -1, ::madvise(start, size, MADV_COLD)) == 0);
}

bool FarPages::advise_pageout(char* start, size_t size) {
  return advise("MADV_PAGEOUT", FAR_CALL(pageout, -1, ::madvise(start, size, MADV_PAGEOUT)) == 0);
}

// FarMemoryTorture discards the contents immediately.
bool FarPages::advise_free(char* start, size_t size) {
  const int advice = FarMemoryTorture == 0 ? MADV_FREE : MADV_DONTNEED;
  return advise("MADV_FREE", FAR_CALL(free, -1, ::madvise(start, size, advice)) == 0);
}

// Reads a value of /proc/self/status. Returns 0 if the system does not provide it.
julong FarPages::status_kilobytes(const char* name) {
  FILE* const file = FAR_CALL(status_open, (FILE*)NULL, ::fopen("/proc/self/status", "re"));
  if (file == NULL) {
    return 0;
  }
  char line[256];
  uint64_t kilobytes = 0;
  const size_t length = strlen(name);
  while (::fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, name, length) == 0 && ::sscanf(line + length, ": %" SCNu64, &kilobytes) == 1) {
      break;
    }
  }
  ::fclose(file);
  return kilobytes;
}

bool FarPages::is_process_swapped() {
  if (FarMemoryTorture != 0) {
    return true;
  }
  return status_kilobytes("VmSwap") > 0;
}

bool FarPages::is_memory_limited() {
  return FarMemoryTorture != 0 || !FLAG_IS_DEFAULT(MaxRAM) || os::physical_memory() < os::Linux::physical_memory();
}

julong FarPages::anonymous_size() {
  return (status_kilobytes("RssAnon") + status_kilobytes("VmSwap")) * K;
}

size_t FarPages::resident_count() {
  return (size_t)(status_kilobytes("RssAnon") * K) >> _shift;
}

char* FarBits::reserve_and_commit(size_t size) {
  char* const table = FAR_CALL(table_reserve, (char*)NULL, os::reserve_memory(size, !ExecMem, mtGC));
  if (table != NULL && !FAR_CALL(table_commit, false, TerraceMemory::commit(table, size))) {
    os::release_memory(table, size);
    return NULL;
  }
  return table;
}

bool FarBits::discard(char* table, size_t size) {
  return FAR_CALL(table_discard, -1, ::madvise(table, size, MADV_DONTNEED)) == 0;
}

void FarBits::release(char* table, size_t size) {
  os::release_memory(table, size);
}

julong FarFaults::of_file(const char* path) {
  const int fd = FAR_CALL(faults_open, -1, ::open(path, O_RDONLY | O_CLOEXEC));
  if (fd < 0) {
    return 0;
  }
  char text[512];
  const ssize_t length = ::read(fd, text, sizeof(text) - 1);
  ::close(fd);
  if (length <= 0) {
    return 0;
  }
  text[length] = 0;
  // Search from the end, because the name in parentheses may contain any character.
  const char* const rest = strrchr(text, ')');
  uint64_t faults = 0;
  if (rest == NULL || ::sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %" SCNu64, &faults) != 1) {
    return 0;
  }
  return faults;
}

julong FarFaults::of_thread(int id) {
  char path[64];
  jio_snprintf(path, sizeof(path), "/proc/self/task/%d/stat", id);
  return of_file(path);
}

julong FarFaults::of_this_thread() {
  struct rusage usage;
  return FAR_CALL(own_faults, -1, ::getrusage(RUSAGE_THREAD, &usage)) == 0 ? (julong)usage.ru_majflt : 0;
}

julong FarFaults::of_process() {
  return of_file("/proc/self/stat");
}
