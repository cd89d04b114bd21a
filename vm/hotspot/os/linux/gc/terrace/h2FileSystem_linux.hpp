/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef OS_LINUX_GC_TERRACE_H2FILESYSTEM_LINUX_HPP
#define OS_LINUX_GC_TERRACE_H2FILESYSTEM_LINUX_HPP

#include "memory/allStatic.hpp"

// The file system that holds the files of H2, and the properties of it that H2 depends on.
//
// A store to a mapped page needs no new space only if the file system overwrites
// data in place. ext4, XFS and tmpfs do. btrfs does for files with the NOCOW
// attribute. Elsewhere the file system allocates space for a changed page. If it
// has none, the store raises SIGBUS, although H2 has allocated the page before.
class H2FileSystem : public AllStatic {
 public:
  // The text of an error.
  static const char* text_of(int error);

  // The magic number from statfs, or 0 if it is not known.
  static long type_of(int fd);
  // Whether the page cache has huge pages of such a file system. If it has none,
  // the advice makes the system read ahead too much.
  static bool has_huge_pages(long type);
  // Sets the attribute of a new, empty file that makes btrfs overwrite its data
  // in place. Other file systems refuse the attribute, which is not an error.
  static void set_overwrite_in_place(int fd);

  enum Overwrites { InPlace, Elsewhere, Unknown };
  // Overwrites a page of a new file and compares its positions on the device.
  // Waits for the device twice, so it is only called for unfamiliar file systems.
  static Overwrites overwrites(int fd);

  // Whether the properties of the file system are known without a trial.
  static bool is_known(long type);
  // Logs a warning if H2 should not lie on such a file system.
  static void warn_of(long type, Overwrites overwrites);
};

#endif // OS_LINUX_GC_TERRACE_H2FILESYSTEM_LINUX_HPP
