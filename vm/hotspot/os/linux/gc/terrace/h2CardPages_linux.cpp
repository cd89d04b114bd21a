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
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/pagemapScan_linux.hpp"
#include "gc/terrace/userfaultfd_linux.hpp"
#include "jvm_io.h"
#include "logging/log.hpp"
#include "runtime/os.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const char* refusal(const char* what) {
  static char text[256];
  jio_snprintf(text, sizeof(text), "%s (%s)", what, os::strerror(errno));
  return text;
}

// Opens the descriptors, and watches the range. Returns NULL on success, else a message.
static const char* watch(void* start, size_t size, int& pagemap, int& uffd) {
  pagemap = H2_CALL(watch_cards, -1, ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (pagemap < 0) {
    return refusal("/proc/self/pagemap cannot be opened");
  }
  uffd = H2_CALL(watch_cards, -1, userfaultfd_open());
  if (uffd < 0) {
    return refusal("the system refuses userfaultfd");
  }
  if (H2_CALL(watch_cards, -1, userfaultfd_enable(uffd)) != 0) {
    return refusal("userfaultfd does not watch writes, which takes Linux 6.7");
  }
  if (H2_CALL(watch_cards, -1, userfaultfd_register(uffd, start, size)) != 0) {
    return refusal("userfaultfd does not watch the cards");
  }
  return NULL;
}

const char* H2CardPages::system_watch() {
  const size_t size = H2Heap::capacity() / CardTable::card_size;
  const char* const error = watch(_first, size, _pagemap, _userfaultfd);
  if (error != NULL) {
    int* const descriptors[] = { &_pagemap, &_userfaultfd };
    for (int* descriptor : descriptors) {
      if (*descriptor >= 0) {
        ::close(*descriptor);
      }
      *descriptor = -1;
    }
  } else if (::madvise(_first, size, MADV_NOHUGEPAGE) != 0) {
    // A huge page would be the cards of 1 GB, until the first write after it was protected.
    log_debug(gc, h2)("The card table may get huge pages: %s", os::strerror(errno));
  }
  return error;
}

bool H2CardPages::system_find_written(size_t from, size_t to, bool protect) {
  static const size_t Most = 256;
  PageRegion found[Most];
  const uintptr_t end = (uintptr_t)cards_of(to);
  uintptr_t next = (uintptr_t)cards_of(from);
  while (next < end) {
    uintptr_t walked = next;
    // For any of the categories: if it is for all of them, Linux 6.7 and 6.8 misread pages that are in swap space.
    const int count = H2_CALL(watch_cards, -1, pagemap_scan(_pagemap, next, end, found, Most, walked, ScanWritten,
                                                           ScanCheckProtectable | (protect ? ScanProtect : 0), ScanWritten));
    if (count < 0 || walked <= next) {
      log_debug(gc, h2)("PAGEMAP_SCAN of cards failed: %s", os::strerror(errno));
      return false;
    }
    for (int i = 0; i < count; i++) {
      found_written(page_of((CardValue*)found[i].start), page_of((CardValue*)found[i].end), protect);
    }
    next = walked;
  }
  return true;
}
