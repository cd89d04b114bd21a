/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2STORAGE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2STORAGE_HPP

#include "gc/terrace/h2/base/h2Calls.hpp"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// The kind of storage behind H2: a directory (AllocateH2At) or the memory of a NUMA node (AllocateH2OnNode). H2File
// maps and writes one file of it, and H2Scratch maps others. Other code asks for the property that it depends on, not
// for the kind. A new kind is a subclass, and a flag that select() tests. It must provide a file descriptor for mmap.
class H2Storage : public CHeapObj<mtGC> {
 public:
  // Words for messages.
  struct Words {
    const char* flag_name;          // the flag that requests this storage
    const char* value;              // of that flag: "directory"
    const char* space;              // "space in the directory"
    const char* of_capacity;        // after capacity(): " free"
  };

 private:
  static const H2Storage* _of_h2;   // NULL: no flag requests H2

  const Words       _words;
  const char* const _flag;
  const char* const _where;

 protected:
  H2Storage(const Words& words, const char* flag, const char* where) : _words(words), _flag(flag), _where(where) {}

 public:
  // Called before the other functions, when the flags have their values.
  static void select();
  static bool is_requested()                { return _of_h2 != NULL; }
  static const H2Storage& of_h2() {
    assert(is_requested(), "H2 is off");
    return *_of_h2;
  }
  // Returns NULL, or the message if the flags request two kinds.
  static const char* conflict();

  const Words& words() const                { return _words; }
  // For messages: the flag with its value, and the location.
  const char* flag() const                  { return _flag; }
  const char* where() const                 { return _where; }

  // Checks once, at the start of the VM, whether files can be created. Returns NULL, or an error message.
  virtual const char* check() const = 0;
  // The largest H2Size in bytes.
  virtual julong capacity() const = 0;
  // The bytes that an unprivileged process can still allocate, or 0 if the system does not say.
  virtual julong free_space() const = 0;

  // Creates an empty file without a name. Returns its descriptor, or -1 and errno.
  virtual int create_file(H2Calls::Place place) const = 0;
  // Called for a new shared mapping of a file, before it is accessed. Returns NULL, or an error message, with errno.
  virtual const char* prepare_mapping(char* start, size_t size) const = 0;
  // Logs a warning if H2 is not safe in files of this type of file system.
  virtual void warn_of_file_system(long type) const = 0;

  // Whether pages come from a device, through a page cache, and can be evicted to it. Otherwise H2 is memory, whose
  // pages are always present unless the process swaps.
  virtual bool reads_from_device() const = 0;
  // Whether the system ends a process if space is missing, instead of failing the allocation. lack_of_space() has to be
  // asked before each allocation then.
  virtual bool is_deadly_when_full() const = 0;
  // Returns NULL, or an error message if there is not so much free space. NULL if the allocation itself would fail.
  virtual const char* lack_of_space(size_t size) const = 0;

  // Whether a region becomes fast by a move of its pages to another node, instead of staying in the page cache.
  virtual bool moves_to_fast_nodes() const = 0;
  // Whether regions can be fast.
  virtual bool has_fast_memory() const = 0;
  // The duration of a page fault of the first write to a write-protected page.
  virtual double write_fault_nanos() const = 0;
};

#endif // SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2STORAGE_HPP
