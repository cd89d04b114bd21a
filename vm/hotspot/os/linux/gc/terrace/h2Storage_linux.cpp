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
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2FileSystem_linux.hpp"
#include "gc/terrace/terraceFlags.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierNode.hpp"
#include "jvm.h"
#include "jvm_io.h"
#include "runtime/globals_extension.hpp"
#include "runtime/os.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

const H2Storage* H2Storage::_of_h2 = NULL;

static const char* copy_of(const char* format, ...) ATTRIBUTE_PRINTF(1, 2);
static const char* copy_of(const char* format, ...) {
  char text[JVM_MAXPATHLEN + 32];
  va_list arguments;
  va_start(arguments, format);
  jio_vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return os::strdup_check_oom(text, mtGC);
}

// Files in a directory, through the page cache.
class H2DirectoryStorage : public H2Storage {
  int open_in_directory(H2Calls::Place place) const {
    const char* const directory = where();
#ifdef O_TMPFILE
    const int tmp = H2Calls::fails(place) ? -1 : ::open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (tmp >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
      return tmp;
    }
#endif
    char name[JVM_MAXPATHLEN];
    if (jio_snprintf(name, sizeof(name), "%s/terrace-h2-XXXXXX", directory) < 0) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int fd = H2_CALL(mkostemp, -1, ::mkostemp(name, O_CLOEXEC));
    if (fd >= 0 && H2_CALL(unlink, -1, ::unlink(name)) != 0) {
      const int error = errno;
      ::close(fd);
      errno = error;
      return -1;
    }
    return fd;
  }

 public:
  H2DirectoryStorage(const char* directory) :
    H2Storage({ "AllocateH2At", "directory", "space in the directory", " free" }, copy_of("AllocateH2At=%s", directory), directory) {}

  virtual const char* check() const {
    struct stat st;
    if (H2_CALL(stat, -1, ::stat(where(), &st)) != 0) {
      return H2FileSystem::text_of(errno);
    }
    if (!S_ISDIR(st.st_mode)) {
      return "Not a directory; give the directory, the VM makes its own file there";
    }
    if (H2_CALL(access, -1, ::access(where(), W_OK | X_OK)) != 0) {
      return H2FileSystem::text_of(errno);
    }
    struct statvfs fs;
    if (H2_CALL(statvfs, -1, ::statvfs(where(), &fs)) == 0 && fs.f_blocks == 0) {
      return "this file system stores no data (its size is 0, like that of /proc); give a directory on a disk";
    }
    return NULL;
  }

  virtual julong capacity() const           { return free_space(); }

  virtual julong free_space() const {
    struct statvfs fs;
    if (H2_CALL(statvfs, -1, ::statvfs(where(), &fs)) != 0) {
      return 0;
    }
    return (julong)fs.f_bavail * (julong)fs.f_frsize;
  }

  virtual int create_file(H2Calls::Place place) const {
    const int fd = open_in_directory(place);
    if (fd >= 0) {
      H2FileSystem::set_overwrite_in_place(fd);
    }
    return fd;
  }

  virtual const char* prepare_mapping(char* start, size_t size) const { return NULL; }

  virtual void warn_of_file_system(long type) const {
    H2FileSystem::Overwrites overwrites = H2FileSystem::InPlace;
    if (!H2FileSystem::is_known(type)) {
      const int trial = create_file(H2Calls::trial_tmpfile);
      overwrites = trial < 0 ? H2FileSystem::Unknown : H2FileSystem::overwrites(trial);
      if (trial >= 0) {
        ::close(trial);
      }
    }
    H2FileSystem::warn_of(type, overwrites);
  }

  virtual bool reads_from_device() const    { return true; }
  virtual bool is_deadly_when_full() const  { return false; }
  virtual const char* lack_of_space(size_t size) const { return NULL; }
  virtual bool moves_to_fast_nodes() const  { return false; }
  virtual bool has_fast_memory() const      { return true; }
  // ext4 checks all of a cached huge page. Without huge pages, it is 1500.
  virtual double write_fault_nanos() const  { return 15000; }
};

// Files in memory that are bound to a NUMA node.
class H2NodeStorage : public H2Storage {
 public:
  H2NodeStorage(intx node) :
    H2Storage({ "AllocateH2OnNode", "node", "memory of the node", "" },
              copy_of("AllocateH2OnNode=" INTX_FORMAT, node), copy_of("memory of node " INTX_FORMAT, node)) {}

  virtual const char* check() const         { return TierNode::initialize(); }
  // Other processes may free their memory, so all memory of the node counts.
  virtual julong capacity() const           { return TierNode::total_memory(); }
  virtual julong free_space() const         { return TierNode::free_memory(); }
  virtual int create_file(H2Calls::Place place) const { return TierNode::create_file(); }
  virtual const char* prepare_mapping(char* start, size_t size) const { return TierNode::bind(start, size); }
  virtual void warn_of_file_system(long type) const {}  // a memory file, as intended

  virtual bool reads_from_device() const    { return false; }
  virtual bool is_deadly_when_full() const  { return true; }
  virtual const char* lack_of_space(size_t size) const {
    return TierNode::has_room(size) ? NULL : "No memory left on the node";
  }
  virtual bool moves_to_fast_nodes() const  { return true; }
  virtual bool has_fast_memory() const      { return TierNode::has_fast_nodes(); }
  virtual double write_fault_nanos() const  { return 1000; }
};

void H2Storage::select() {
  if (AllocateH2OnNode >= 0) {
    _of_h2 = new H2NodeStorage(AllocateH2OnNode);
  } else if (*TerraceFlags::text(AllocateH2At) != '\0') {
    _of_h2 = new H2DirectoryStorage(AllocateH2At);
  }
}

const char* H2Storage::conflict() {
  return AllocateH2OnNode >= 0 && FLAG_IS_CMDLINE(AllocateH2At)
    ? "AllocateH2OnNode cannot be combined with AllocateH2At: H2 lies on a node or in a directory; remove one of them" : NULL;
}
