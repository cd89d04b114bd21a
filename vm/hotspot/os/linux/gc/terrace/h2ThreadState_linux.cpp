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
#include "gc/terrace/h2/base/h2ThreadState.hpp"
#include "jvm_io.h"
#include "runtime/os.hpp"
#include "signals_posix.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Reads the state of a thread. The text is "running", "-1 SP PC" for a thread that sleeps in user code,
// or the number and arguments of a system call. Returns the length of the text, or -1.
static ssize_t read_state(int thread, char* text, size_t size) {
  char path[64];
  jio_snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", thread);
  const int fd = H2_CALL(wait_open, -1, ::open(path, O_RDONLY | O_CLOEXEC));
  if (fd < 0) {
    return -1;
  }
  const ssize_t length = H2_CALL(wait_read, -1, ::read(fd, text, size - 1));
  ::close(fd);
  text[MAX2(length, (ssize_t)0)] = 0;
  return length;
}

static void (*handler_of_vm)(int, siginfo_t*, void*) = NULL;

static void (*handler_of_suspension())(int, siginfo_t*, void*) {
  struct sigaction action;
  return ::sigaction(PosixSignals::SR_signum, NULL, &action) == 0 ? action.sa_sigaction : NULL;
}

bool H2ThreadState::is_known() {
  handler_of_vm = handler_of_suspension();
  char text[256];
  return read_state((int)::syscall(SYS_gettid), text, sizeof(text)) > 0;
}

bool H2ThreadState::waits_for_page(int thread, uintptr_t* pc) {
  char text[256];
  if (read_state(thread, text, sizeof(text)) <= 0 || strncmp(text, "-1 ", 3) != 0) {
    return false;
  }
  const char* const last = strchr(text + 3, ' ');
  *pc = last == NULL ? 0 : (uintptr_t)strtoull(last, NULL, 16);
  return *pc != 0;
}

bool H2ThreadState::is_signal_of_vm() {
  return handler_of_suspension() == handler_of_vm;
}

jlong H2ThreadState::major_faults() {
  struct rusage usage;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? (jlong)usage.ru_majflt : 0;
}

// getrusage(2): blocks have 512 bytes.
jlong H2ThreadState::read_bytes() {
  struct rusage usage;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? (jlong)usage.ru_inblock * 512 : 0;
}
