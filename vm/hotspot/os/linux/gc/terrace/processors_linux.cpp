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
#include "gc/terrace/threads/processors.hpp"
#include "jvm_io.h"
#include "runtime/os.hpp"
#include "utilities/population_count.hpp"

#if INCLUDE_TERRACE

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint ProcessorSet::count() const {
  uint n = 0;
  for (uint i = 0; i < Max / BitsPerUnit; i++) {
    n += population_count(_bits[i]);
  }
  return n;
}

bool ProcessorSet::operator==(const ProcessorSet& other) const {
  return memcmp(_bits, other._bits, sizeof(_bits)) == 0;
}

int Processors::current() {
  return ::sched_getcpu();
}

// These functions use system calls directly. The C library's functions take sets of at most 1024 processors, or
// sets that must be allocated.
bool Processors::allowed(int thread, ProcessorSet& set) {
  set = ProcessorSet();
  return ::syscall(SYS_sched_getaffinity, thread, (size_t)ProcessorSet::Max / BitsPerByte, set.bits()) > 0;
}

bool Processors::restrict(int thread, const ProcessorSet& set) {
  return ::syscall(SYS_sched_setaffinity, thread, (size_t)ProcessorSet::Max / BitsPerByte, set.bits()) == 0;
}

bool Processors::bind(uint id) {
  ProcessorSet set;
  set.add(id);
  return restrict(0, set);
}

bool Processors::run_and_wait(int thread, jlong& run, jlong& wait) {
  char path[64];
  if (thread == 0) {
    jio_snprintf(path, sizeof(path), "/proc/thread-self/schedstat");
  } else {
    jio_snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", thread);
  }
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  char text[96];
  const ssize_t length = ::read(fd, text, sizeof(text) - 1);
  ::close(fd);
  if (length <= 0) {
    return false;
  }
  text[length] = '\0';
  return ::sscanf(text, "%" SCNd64 " %" SCNd64, (int64_t*)&run, (int64_t*)&wait) == 2;
}

bool Processors::busy_times(jlong* busy, uint count) {
  FILE* const file = ::fopen("/proc/stat", "re");
  if (file == NULL) {
    return false;
  }
  const jlong tick = NANOSECS_PER_SEC / ::sysconf(_SC_CLK_TCK);
  memset(busy, 0, count * sizeof(jlong));
  char line[512];
  uint found = 0;
  while (::fgets(line, sizeof(line), file) != NULL && strncmp(line, "cpu", 3) == 0) {
    uint id;
    julong user, nice, system, idle, iowait, irq, softirq, steal;
    // The first line is the sum of all processors.
    if (isdigit(line[3]) &&
        ::sscanf(line, "cpu%u " JULONG_FORMAT " " JULONG_FORMAT " " JULONG_FORMAT " " JULONG_FORMAT " " JULONG_FORMAT
                 " " JULONG_FORMAT " " JULONG_FORMAT " " JULONG_FORMAT,
                 &id, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) == 9 && id < count) {
      busy[id] = (jlong)(user + nice + system + irq + softirq + steal) * tick;
      found++;
    }
  }
  ::fclose(file);
  return found > 0;
}

jlong Processors::process_time() {
  struct timespec ts;
  return ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0 ? (jlong)ts.tv_sec * NANOSECS_PER_SEC + ts.tv_nsec : 0;
}

#endif // INCLUDE_TERRACE
