/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef OS_LINUX_GC_TERRACE_USERFAULTFD_LINUX_HPP
#define OS_LINUX_GC_TERRACE_USERFAULTFD_LINUX_HPP

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Calls of userfaultfd, with which the system write-protects pages of registered memory and silently removes
// the protection at the first write (WP_ASYNC, Linux 6.7). PAGEMAP_SCAN finds the written pages.

// Copied from <linux/userfaultfd.h>, because the system headers that Terrace is built with may be older.
struct UffdApi {
  uint64_t api;
  uint64_t features;
  uint64_t ioctls;
};

struct UffdRegister {
  uint64_t start;
  uint64_t length;
  uint64_t mode;
  uint64_t ioctls;
};

struct UffdWriteProtect {
  uint64_t start;
  uint64_t length;
  uint64_t mode;
};

static const uint64_t UffdApiVersion = 0xAA;
static const unsigned long UffdApiRequest = _IOWR(0xAA, 0x3F, struct UffdApi);
static const unsigned long UffdRegisterRequest = _IOWR(0xAA, 0x00, struct UffdRegister);
static const unsigned long UffdWriteProtectRequest = _IOWR(0xAA, 0x06, struct UffdWriteProtect);
static const uint64_t UffdRegisterProtect = 1 << 1;
static const uint64_t UffdWriteProtectOn = 1 << 0;
static const uint64_t UffdFeatures = 1 << 13 | 1 << 15;     // WP_UNPOPULATED, WP_ASYNC
static const int UffdUserModeOnly = 1;

// Returns a descriptor, or -1 if the system refuses it.
inline int userfaultfd_open() {
  return (int)::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UffdUserModeOnly);
}

// Returns 0, or -1 if the system cannot watch writes.
inline int userfaultfd_enable(int uffd) {
  UffdApi arguments = { UffdApiVersion, UffdFeatures, 0 };
  return ::ioctl(uffd, UffdApiRequest, &arguments);
}

// Returns 0 or -1. Only registered memory can be protected.
inline int userfaultfd_register(int uffd, const void* start, size_t size) {
  UffdRegister arguments = { (uint64_t)(uintptr_t)start, size, UffdRegisterProtect, 0 };
  return ::ioctl(uffd, UffdRegisterRequest, &arguments);
}

// Returns 0 or -1. Pages that are not mapped become protected when they are mapped.
inline int userfaultfd_protect(int uffd, const void* start, size_t size) {
  UffdWriteProtect arguments = { (uint64_t)(uintptr_t)start, size, UffdWriteProtectOn };
  return ::ioctl(uffd, UffdWriteProtectRequest, &arguments);
}

#endif // OS_LINUX_GC_TERRACE_USERFAULTFD_LINUX_HPP
