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
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/pagemapScan_linux.hpp"
#include "gc/terrace/tiers/tierAccesses.hpp"
#include "gc/terrace/userfaultfd_linux.hpp"
#include "jvm_io.h"
#include "logging/log.hpp"
#include "runtime/os.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static int pagemap = -1;
static int uffd = -1;

// Whether only writes count as accesses.
static bool watches_writes() {
  return uffd >= 0;
}

static int scan_accessed(uintptr_t start, uintptr_t end, PageRegion* found, size_t most, uintptr_t& walked, uint64_t flags) {
  const uint64_t category = watches_writes() ? ScanWritten : ScanPresent;
  return H2_CALL(scan_pages, -1, pagemap_scan(pagemap, start, end, found, most, walked, category, flags));
}

static const char* open_map() {
  pagemap = H2_CALL(pagemap_open, -1, ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (pagemap < 0) {
    return "/proc/self/pagemap cannot be opened";
  }
  // Scan an empty range to find out whether the system supports the request.
  PageRegion none[1];
  uintptr_t walked = 0;
  return scan_accessed(0, 0, none, 1, walked, 0) < 0 ? "the system has no PAGEMAP_SCAN (Linux 6.7)" : NULL;
}

static const char* refusal(const char* what, const char* remedy = "") {
  static char text[256];
  jio_snprintf(text, sizeof(text), "%s (%s)%s", what, os::strerror(errno), remedy);
  return text;
}

static const char* open_writes(char* start, size_t size) {
  uffd = H2_CALL(userfaultfd, -1, userfaultfd_open());
  if (uffd < 0) {
    return refusal("the system refuses userfaultfd", "; a container needs a seccomp profile that allows it");
  }
  if (H2_CALL(userfaultfd_api, -1, userfaultfd_enable(uffd)) != 0) {
    return refusal("userfaultfd does not watch writes", "; it needs Linux 6.7");
  }
  if (H2_CALL(userfaultfd_register, -1, userfaultfd_register(uffd, start, size)) != 0) {
    return refusal("userfaultfd does not watch H2");
  }
  return NULL;
}

static void close_if_open(int* descriptor) {
  if (*descriptor >= 0) {
    ::close(*descriptor);
    *descriptor = -1;
  }
}

const char* TierAccesses::open(Kind kind, char* start, size_t size) {
  const char* error = open_map();
  if (error == NULL && kind == Writes) {
    error = open_writes(start, size);
  }
  if (error != NULL) {
    close_if_open(&uffd);
    close_if_open(&pagemap);
  }
  return error;
}

bool TierAccesses::watch(char* start, size_t size) {
  // The mapping is shared, so written data survives the removal of its pages from the mapping.
  if (H2_CALL(watch_pages, -1, watches_writes() ? userfaultfd_protect(uffd, start, size) : ::madvise(start, size, MADV_DONTNEED)) == 0) {
    return true;
  }
  log_debug(gc, h2)("Tiers: accesses are not watched: %s", os::strerror(errno));
  return false;
}

static bool count_accessed(char* start, size_t size, size_t* pages, uint64_t flags) {
  static const size_t Most = 256;
  PageRegion found[Most];
  uintptr_t from = (uintptr_t)start;
  const uintptr_t end = from + size;
  size_t bytes = 0;
  while (from < end) {
    uintptr_t walked = 0;
    const int count = scan_accessed(from, end, found, Most, walked, flags);
    if (count < 0 || walked <= from) {
      log_debug(gc, h2)("Tiers: accesses are not known: %s", os::strerror(errno));
      return false;
    }
    for (int i = 0; i < count; i++) {
      bytes += (size_t)(found[i].end - found[i].start);
    }
    from = walked;
  }
  *pages = bytes / (size_t)os::vm_page_size();
  return true;
}

bool TierAccesses::count(char* start, size_t size, size_t* pages) {
  return count_accessed(start, size, pages, 0);
}

bool TierAccesses::take(char* start, size_t size, size_t* pages) {
  return count_accessed(start, size, pages, watches_writes() ? ScanProtect : 0);
}

double TierAccesses::touch_nanos() {
  static const double Access = 45;          // the share of a page in a page fault that also maps its neighbours
  return watches_writes() ? H2Storage::of_h2().write_fault_nanos() : Access;
}
