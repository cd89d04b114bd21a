/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef OS_LINUX_GC_TERRACE_PAGECACHE_LINUX_HPP
#define OS_LINUX_GC_TERRACE_PAGECACHE_LINUX_HPP

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The state of a file's pages in the page cache (cachestat, Linux 6.5).

// Copied from <linux/mman.h>, because the system headers that Terrace is built with may be older.
struct CacheRange {
  uint64_t offset;
  uint64_t length;
};

// Numbers of pages.
struct CacheState {
  uint64_t cached;
  uint64_t dirty;
  uint64_t in_writeback;
  uint64_t evicted;
  uint64_t recently_evicted;

  uint64_t clean() const {
    const uint64_t others = dirty + in_writeback;     // the numbers are counted at different times
    return cached > others ? cached - others : 0;
  }
};

static const long CacheStateCall = 451;     // the same number on all processors

// Returns 0, or -1 if the system does not support the call.
inline int page_cache_state(int fd, size_t offset, size_t size, CacheState* result) {
  const CacheRange range = { offset, size };
  return (int)::syscall(CacheStateCall, fd, &range, result, 0);
}

#endif // OS_LINUX_GC_TERRACE_PAGECACHE_LINUX_HPP
