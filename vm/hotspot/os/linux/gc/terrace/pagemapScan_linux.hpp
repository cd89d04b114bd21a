/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef OS_LINUX_GC_TERRACE_PAGEMAPSCAN_LINUX_HPP
#define OS_LINUX_GC_TERRACE_PAGEMAPSCAN_LINUX_HPP

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

// PAGEMAP_SCAN of <linux/fs.h>, Linux 6.7: newer than the system headers that Terrace is built with.
struct PageRegion {
  uint64_t start;
  uint64_t end;
  uint64_t categories;
};

struct PagemapScan {
  uint64_t size;
  uint64_t flags;
  uint64_t start;
  uint64_t end;
  uint64_t walk_end;
  uint64_t vec;
  uint64_t vec_len;
  uint64_t max_pages;
  uint64_t category_inverted;
  uint64_t category_mask;
  uint64_t category_anyof_mask;
  uint64_t return_mask;
};

static const unsigned long PagemapScanRequest = _IOWR('f', 16, struct PagemapScan);
static const uint64_t ScanWritten = 1 << 1;
static const uint64_t ScanPresent = 1 << 3;
static const uint64_t ScanSwapped = 1 << 4;
static const uint64_t ScanProtect = 1 << 0;      // flags
static const uint64_t ScanCheckProtectable = 1 << 1;

// Finds pages of [start, end) in a category, as ranges in ascending order, most of them at most. Returns how many ranges, or -1;
// walked: all up to there are known. any_of: categories of which a page has one, if not 0.
inline int pagemap_scan(int pagemap, uintptr_t start, uintptr_t end, PageRegion* found, size_t most, uintptr_t& walked,
                        uint64_t category, uint64_t flags = 0, uint64_t any_of = 0) {
  PagemapScan arguments;
  memset(&arguments, 0, sizeof(arguments));
  arguments.size = sizeof(arguments);
  arguments.flags = flags;
  arguments.start = start;
  arguments.end = end;
  arguments.vec = (uint64_t)(uintptr_t)found;
  arguments.vec_len = most;
  arguments.category_mask = category;
  arguments.category_anyof_mask = any_of;
  arguments.return_mask = category;
  const int count = ::ioctl(pagemap, PagemapScanRequest, &arguments);
  walked = (uintptr_t)arguments.walk_end;
  return count;
}

#endif // OS_LINUX_GC_TERRACE_PAGEMAPSCAN_LINUX_HPP
