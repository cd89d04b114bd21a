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
#include "gc/terrace/h2/h2Calls.hpp"
#include "gc/terrace/pagemapScan_linux.hpp"
#include "gc/terrace/tiers/tierAccesses.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static int pagemap = -1;

static int scan_present(uintptr_t start, uintptr_t end, PageRegion* found, size_t most, uintptr_t& walked) {
  return H2_CALL(scan_pages, -1, pagemap_scan(pagemap, start, end, found, most, walked, ScanPresent));
}

const char* TierAccesses::open() {
  pagemap = H2_CALL(pagemap_open, -1, ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (pagemap < 0) {
    return "/proc/self/pagemap cannot be opened";
  }
  // An empty range: asks whether the system knows the request.
  PageRegion none[1];
  uintptr_t walked = 0;
  if (scan_present(0, 0, none, 1, walked) < 0) {
    ::close(pagemap);
    pagemap = -1;
    return "the system has no PAGEMAP_SCAN (Linux 6.7)";
  }
  return NULL;
}

bool TierAccesses::watch(char* start, size_t size) {
  // The mapping is shared, so the pages keep what was written.
  if (H2_CALL(watch_pages, -1, ::madvise(start, size, MADV_DONTNEED)) == 0) {
    return true;
  }
  log_debug(gc, h2)("Tiers: accesses are not watched: %s", os::strerror(errno));
  return false;
}

bool TierAccesses::count(char* start, size_t size, size_t* pages) {
  static const size_t Most = 256;
  PageRegion found[Most];
  uintptr_t from = (uintptr_t)start;
  const uintptr_t end = from + size;
  size_t bytes = 0;
  while (from < end) {
    uintptr_t walked = 0;
    const int count = scan_present(from, end, found, Most, walked);
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
