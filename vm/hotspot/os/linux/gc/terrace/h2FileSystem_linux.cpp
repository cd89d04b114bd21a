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
#include "gc/terrace/h2FileSystem_linux.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "runtime/os.hpp"
#include "utilities/globalDefinitions.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

static const long Cifs = (long)0xff534d42ul;
static const long Smb2 = (long)0xfe534d42ul;      // and later versions

// Returns 6016 for Linux 6.16, for example, or 0 if unknown.
static int kernel_version() {
  struct utsname kernel;
  int major;
  int minor;
  return ::uname(&kernel) == 0 && sscanf(kernel.release, "%d.%d", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

// Upstream's texts for these two errors are "Reserved" and "Not enough space".
const char* H2FileSystem::text_of(int error) {
  return error == EDQUOT ? "Disk quota exceeded" : error == ENOMEM ? "Cannot allocate memory" : os::strerror(error);
}

long H2FileSystem::type_of(int fd) {
  struct statfs fs;
  return H2_CALL(fstatfs, -1, ::fstatfs(fd, &fs)) == 0 ? (long)fs.f_type : 0;
}

bool H2FileSystem::has_huge_pages(long type) {
  switch (type) {
    case XFS_SUPER_MAGIC:  return kernel_version() >= 5018;
    case EXT4_SUPER_MAGIC: return kernel_version() >= 6016;
    default:               return false;
  }
}

void H2FileSystem::set_overwrite_in_place(int fd) {
  int flags = 0;
  bool done = H2_CALL(file_flags, -1, ::ioctl(fd, FS_IOC_GETFLAGS, &flags)) == 0;
  if (done && (flags & FS_COMPR_FL) != 0) {
    // The flag is inherited from the directory. It excludes NOCOW, even if both change in one call.
    flags &= ~FS_COMPR_FL;
    done = ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
  }
  if (done) {
    flags |= FS_NOCOW_FL;
    done = ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
  }
  if (!done) {
    log_debug(gc, h2)("The file of H2 does not get the attribute NOCOW: %s", os::strerror(errno));
  }
}

// The position of the start of a file on the device. Returns false if the system does not say.
static bool position_of(int fd, __u64* position) {
  // A header, followed by one extent.
  __u64 buffer[(sizeof(struct fiemap) + sizeof(struct fiemap_extent)) / sizeof(__u64)];
  memset(buffer, 0, sizeof(buffer));
  struct fiemap* const map = (struct fiemap*)buffer;
  map->fm_length = 1;
  map->fm_flags = FIEMAP_FLAG_SYNC;
  map->fm_extent_count = 1;
  if (H2_CALL(fiemap, -1, ::ioctl(fd, FS_IOC_FIEMAP, map)) != 0 || map->fm_mapped_extents != 1 ||
      (map->fm_extents[0].fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC)) != 0) {
    return false;
  }
  *position = map->fm_extents[0].fe_physical;
  return true;
}

H2FileSystem::Overwrites H2FileSystem::overwrites(int fd) {
  // Larger than the data that a file system stores in its metadata.
  static const size_t Size = 64 * K;
  char data[4 * K];
  __u64 positions[2];
  if (::fallocate(fd, 0, 0, (off_t)Size) != 0) {
    return Unknown;
  }
  for (int i = 0; i < 2; i++) {
    memset(data, 'a' + i, sizeof(data));
    for (size_t done = 0; done < Size; done += sizeof(data)) {
      if (::pwrite(fd, data, sizeof(data), (off_t)done) != (ssize_t)sizeof(data)) {
        return Unknown;
      }
    }
    if (!position_of(fd, &positions[i])) {
      return Unknown;
    }
  }
  return positions[0] == positions[1] ? InPlace : Elsewhere;
}

bool H2FileSystem::is_known(long type) {
  switch (type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
    case NFS_SUPER_MAGIC:
    case Cifs:
    case Smb2:
    case V9FS_MAGIC:
      return true;
    default:
      return false;
  }
}

void H2FileSystem::warn_of(long type, Overwrites overwrites) {
  static const char* const Remedy = "a store to H2 ends the VM when the file system is full; name a directory on ext4 or XFS, "
                                    "or keep space free there";
  // Before Linux 6.17, btrfs allocates space for each changed page of a mapping, even with NOCOW (6599716de2d6
  // in Linux).
  static const int StoresInPlaceOnBtrfs = 6017;
  switch (type) {
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
      log_warning(gc, h2)("AllocateH2At=%s lies in memory (tmpfs): H2 uses the memory that it should save",
                          AllocateH2At);
      return;
    case NFS_SUPER_MAGIC:
    case Cifs:
    case Smb2:
    case V9FS_MAGIC:
      log_warning(gc, h2)("AllocateH2At=%s lies on a network file system: the program stands still when the server does, "
                          "and ends when it loses a page or has no space for it", AllocateH2At);
      return;
    case BTRFS_SUPER_MAGIC:
      if (overwrites == InPlace && kernel_version() < StoresInPlaceOnBtrfs) {
        log_warning(gc, h2)("AllocateH2At=%s lies on btrfs, which allocates space for each changed page before Linux 6.17: %s",
                            AllocateH2At, Remedy);
        return;
      }
  }
  if (overwrites != InPlace) {
    log_warning(gc, h2)("AllocateH2At=%s lies on a file system that %s space for each changed page: %s",
                        AllocateH2At, overwrites == Elsewhere ? "allocates" : "may allocate", Remedy);
  }
}
