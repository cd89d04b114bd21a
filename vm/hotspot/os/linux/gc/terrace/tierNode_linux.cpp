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
#include "gc/terrace/tiers/tierNode.hpp"
#include "jvm_io.h"
#include "logging/log.hpp"
#include "runtime/os.hpp"
#include "utilities/align.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// From <linux/mempolicy.h> and others. The headers that Terrace is built with may be older.
static const int PolicyDefault = 0;             // MPOL_DEFAULT
static const unsigned long PolicyBind = 2;                // MPOL_BIND
static const unsigned long MemsAllowed = 1 << 2; // MPOL_F_MEMS_ALLOWED
static const unsigned long MoveOwn = 1 << 1;              // MPOL_MF_MOVE
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22                   // since Linux 5.14
#endif

static const int MaxNodes = 1024;               // upper limit of Linux

class NodeSet {
  unsigned long _bits[MaxNodes / BitsPerLong];

 public:
  NodeSet()                         { memset(_bits, 0, sizeof(_bits)); }
  bool has(int node) const          { return node < MaxNodes && (_bits[node / BitsPerLong] >> (node % BitsPerLong) & 1) != 0; }
  void add(int node)                { _bits[node / BitsPerLong] |= 1ul << (node % BitsPerLong); }
  void remove(int node)             { _bits[node / BitsPerLong] &= ~(1ul << (node % BitsPerLong)); }
  void retain(const NodeSet& other) {
    for (size_t i = 0; i < ARRAY_SIZE(_bits); i++) {
      _bits[i] &= other._bits[i];
    }
  }
  bool is_empty() const {
    for (size_t i = 0; i < ARRAY_SIZE(_bits); i++) {
      if (_bits[i] != 0) {
        return false;
      }
    }
    return true;
  }
  unsigned long* bits()             { return _bits; }
  // The system calls take one more than the number of bits.
  static unsigned long size()       { return MaxNodes + 1; }
};

static NodeSet fast_nodes;
static char    nodes_with_memory[256];          // in the system's notation
static char    message[512];

// Reads a file up to the size of the buffer. Returns false if it cannot be read.
static bool read_text(const char* path, char* text, size_t size) {
  const int fd = H2_CALL(node_open, -1, ::open(path, O_RDONLY | O_CLOEXEC));
  if (fd < 0) {
    return false;
  }
  const ssize_t length = H2_CALL(node_read, -1, ::read(fd, text, size - 1));
  const int error = errno;
  ::close(fd);
  errno = error;
  if (length < 0) {
    return false;
  }
  text[length] = 0;
  return true;
}

// Parses a list such as "0-1,4", followed by a newline.
static void parse_list(const char* text, NodeSet* set) {
  char* end;
  for (const char* p = text; *p >= '0' && *p <= '9'; p = *end == ',' ? end + 1 : end) {
    const long first = strtol(p, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    for (long node = first; node <= last && node < MaxNodes; node++) {
      set->add((int)node);
    }
  }
}

// Returns an empty set if the system does not say.
static NodeSet read_list(const char* name, char* text, size_t size) {
  char path[64];
  jio_snprintf(path, sizeof(path), "/sys/devices/system/node/%s", name);
  NodeSet set;
  if (read_text(path, text, size)) {
    parse_list(text, &set);
    text[strcspn(text, "\n")] = 0;
  }
  return set;
}

struct NodeMemory {
  julong total;
  julong free;
  julong cached;                    // of files, evicted when memory is short
};

// A line has the form "Node 0 MemFree:        123 kB".
static julong bytes_of(const char* text, const char* name) {
  const char* const line = strstr(text, name);
  return line == NULL ? 0 : (julong)strtoull(line + strlen(name), NULL, 10) * K;
}

// All values are 0 if the system does not say.
static NodeMemory memory_of(int node) {
  char path[64];
  char text[4 * K];
  jio_snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
  if (!read_text(path, text, sizeof(text))) {
    log_debug(gc, h2)("%s: %s", path, os::strerror(errno));
    return { 0, 0, 0 };
  }
  return { bytes_of(text, " MemTotal:"), bytes_of(text, " MemFree:"),
           bytes_of(text, " Active(file):") + bytes_of(text, " Inactive(file):") };
}

// The memory that must stay free on a node. Before all memory is used, the system begins to evict pages, and
// finally ends processes. The reserve is twice the node's part of vm.min_free_kbytes, which is above its high
// watermark. A part for concurrent allocations of other processes is added.
static julong reserve_of(julong total) {
  static const julong OtherPart = 256;
  static const julong UnknownPart = 32;
  static julong kept = 0;           // on all nodes
  static bool is_read = false;
  if (!is_read) {
    char text[32];
    kept = read_text("/proc/sys/vm/min_free_kbytes", text, sizeof(text)) ? (julong)strtoull(text, NULL, 10) * K
                                                                         : os::physical_memory() / UnknownPart;
    is_read = true;
  }
  const double part = MIN2((double)total / os::physical_memory(), 1.0);
  return (julong)(2 * part * kept) + total / OtherPart;
}

static julong above_reserve(julong bytes, julong total) {
  const julong reserve = reserve_of(total);
  return bytes > reserve ? bytes - reserve : 0;
}

julong TierNode::total_memory() {
  return memory_of((int)AllocateH2OnNode).total;
}

julong TierNode::free_memory() {
  const NodeMemory memory = memory_of((int)AllocateH2OnNode);
  return above_reserve(memory.free, memory.total);
}

bool TierNode::has_fast_nodes() {
  return !fast_nodes.is_empty() && !fast_nodes.has((int)AllocateH2OnNode);
}

static const char* refusal(const char* call, int error) {
  const char* const remedy = error == EPERM ? "; a container needs the capability SYS_NICE for it"
                           : error == ENOSYS ? "; the kernel was built without NUMA: use AllocateH2At=<directory>" : "";
  jio_snprintf(message, sizeof(message), "%s: %s%s", call, os::strerror(error), remedy);
  return message;
}

// Keeps a memory policy that the user has set, for example with numactl.
static const char* bind_rest() {
  int policy = PolicyDefault;
  if (H2_CALL(get_policy, -1, ::syscall(SYS_get_mempolicy, &policy, NULL, 0ul, NULL, 0ul)) != 0) {
    return refusal("get_mempolicy", errno);
  }
  if (policy != PolicyDefault) {
    log_info(gc, h2)("The process was started with a memory policy, which stays for all but H2");
    return NULL;
  }
  if (TierNode::has_fast_nodes() &&
      H2_CALL(set_policy, -1, ::syscall(SYS_set_mempolicy, PolicyBind, fast_nodes.bits(), NodeSet::size())) != 0) {
    return refusal("set_mempolicy", errno);
  }
  return NULL;
}

const char* TierNode::initialize() {
  const int node = (int)AllocateH2OnNode;
  char text[256];
  const NodeSet online = read_list("online", text, sizeof(text));
  const NodeSet with_processors = read_list("has_cpu", text, sizeof(text));
  const NodeSet with_memory = read_list("has_memory", nodes_with_memory, sizeof(nodes_with_memory));
  if (online.is_empty() || with_memory.is_empty()) {
    return "/sys/devices/system/node cannot be read, or the kernel was built without NUMA; use AllocateH2At=<directory>";
  }
  if (!online.has(node) || !with_memory.has(node)) {
    jio_snprintf(message, sizeof(message), "%s; nodes with memory: %s. Use one of them, or AllocateH2At=<directory>",
                 online.has(node) ? "the node has no memory" : "there is no such node", nodes_with_memory);
    return message;
  }
  NodeSet allowed;
  if (H2_CALL(get_policy, -1, ::syscall(SYS_get_mempolicy, NULL, allowed.bits(), NodeSet::size(), NULL, MemsAllowed)) != 0) {
    return refusal("get_mempolicy", errno);
  }
  if (!allowed.has(node)) {
    return "the process may not use the node (Mems_allowed in /proc/self/status); add it to the cpuset of the process or container";
  }
  fast_nodes = with_memory;
  fast_nodes.retain(allowed);
  fast_nodes.remove(node);
  NodeSet near = fast_nodes;
  near.retain(with_processors);
  if (!near.is_empty()) {
    fast_nodes = near;
  } else if (fast_nodes.is_empty()) {
    fast_nodes.add(node);
  }
  return bind_rest();
}

int TierNode::create_file() {
  return H2_CALL(memfd, -1, (int)::syscall(SYS_memfd_create, "terrace-h2", 1u /* MFD_CLOEXEC */));
}

const char* TierNode::bind(char* start, size_t size) {
  // The policy belongs to the file, not to the mapping. So it also applies to pages that are written, and in
  // every thread. One call for all regions keeps a single mapping.
  NodeSet node;
  node.add((int)AllocateH2OnNode);
  return H2_CALL(bind, -1, ::syscall(SYS_mbind, start, size, PolicyBind, node.bits(), NodeSet::size(), 0ul)) == 0
    ? NULL : refusal("mbind", errno);
}

static const size_t PagesAtOnce = 512;

// Finds the nodes of pages, or moves the pages if nodes are given. Missing pages get a negative status.
static long move_pages(size_t count, void** pages, const int* nodes, int* status) {
  return ::syscall(SYS_move_pages, 0l, (unsigned long)count, pages, nodes, status, MoveOwn);
}

const char* TierNode::check_moves() {
  const size_t page = (size_t)os::vm_page_size();
  void* const p = ::mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    return refusal("mmap", errno);
  }
  const char* error = NULL;
  if (H2_CALL(populate, -1, ::madvise(p, page, MADV_POPULATE_READ)) != 0) {
    error = errno == EINVAL ? "it needs MADV_POPULATE_READ (Linux 5.14)" : refusal("madvise", errno);
  } else {
    void* pages[1] = { p };
    int status[1];
    if (H2_CALL(page_nodes, -1, move_pages(1, pages, NULL, status)) != 0) {
      error = refusal("move_pages", errno);
    }
  }
  ::munmap(p, page);
  return error;
}

// Returns -1 if no node has enough free memory. The page cache counts as free, because the system evicts it.
static int roomiest_fast_node(size_t size) {
  julong most = (julong)size;
  int result = -1;
  for (int node = 0; node < MaxNodes; node++) {
    if (fast_nodes.has(node)) {
      const NodeMemory memory = memory_of(node);
      const julong room = above_reserve(memory.free + memory.cached, memory.total);
      if (room >= most) {
        most = room;
        result = node;
      }
    }
  }
  return result;
}

// The target node of a move, which is chosen when the first page on another node is found.
class Target {
  const bool   _to_fast;
  const size_t _room;               // needed bytes
  int          _node;
  bool         _is_chosen;
  bool         _is_full;

 public:
  Target(bool to_fast, size_t room) : _to_fast(to_fast), _room(room), _node(-1), _is_chosen(false), _is_full(false) {}

  bool is_full() const              { return _is_full; }
  void set_full()                   { _is_full = true; }

  bool is_at(int node) const {
    return node >= 0 && (_to_fast ? fast_nodes.has(node) : node == (int)AllocateH2OnNode);
  }
  // Returns -1 if the target has too little free memory.
  int node() {
    if (!_is_chosen) {
      _is_chosen = true;
      _node = _to_fast ? roomiest_fast_node(_room) : TierNode::has_room(_room) ? (int)AllocateH2OnNode : -1;
      if (_node < 0) {
        _is_full = true;
        log_debug(gc, h2)("Tiers: no free memory on %s", _to_fast ? "a fast node" : "the slow node");
      }
    }
    return _node;
  }
};

// Returns whether all pages are on the target now. Adds the moved bytes to moved. A page that was not mapped when its
// node was asked for may have been on the target before, so it does not count.
static bool move_batch(char* start, size_t count, Target* target, size_t* moved) {
  const size_t page = (size_t)os::vm_page_size();
  void* pages[PagesAtOnce];
  int nodes[PagesAtOnce];
  int status[PagesAtOnce];
  bool was_elsewhere[PagesAtOnce];
  // Only mapped pages can be moved. This fails if the region has been freed meanwhile.
  if (H2_CALL(populate, -1, ::madvise(start, count * page, MADV_POPULATE_READ)) != 0) {
    log_debug(gc, h2)("Tiers: pages of a region cannot be moved: madvise: %s", os::strerror(errno));
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    pages[i] = start + i * page;
  }
  if (H2_CALL(page_nodes, -1, move_pages(count, pages, NULL, status)) != 0) {
    log_debug(gc, h2)("Tiers: the nodes of pages are unknown: move_pages: %s", os::strerror(errno));
    return false;
  }
  size_t others = 0;
  for (size_t i = 0; i < count; i++) {
    if (!target->is_at(status[i])) {
      was_elsewhere[others] = status[i] >= 0;
      pages[others++] = pages[i];
    }
  }
  if (others == 0) {
    return true;
  }
  if (target->node() < 0) {
    return false;
  }
  for (size_t i = 0; i < others; i++) {
    nodes[i] = target->node();
  }
  // A positive result is the number of pages that did not move, for example because the system uses them now,
  // or because TierAccesses has removed them from the mapping.
  if (H2_CALL(move_pages, -1, move_pages(others, pages, nodes, status)) < 0) {
    log_debug(gc, h2)("Tiers: pages of a region cannot be moved: move_pages: %s", os::strerror(errno));
    return false;
  }
  size_t there = 0;
  size_t came = 0;
  for (size_t i = 0; i < others; i++) {
    const bool is_there = target->is_at(status[i]);
    there += is_there ? 1 : 0;
    came += is_there && was_elsewhere[i] ? 1 : 0;
    if (status[i] == -ENOMEM) {
      target->set_full();
    }
  }
  *moved += came * page;
  return there == others;
}

size_t TierNode::move(char* start, size_t size, bool to_fast, bool* is_all, bool* is_full) {
  const size_t page = (size_t)os::vm_page_size();
  const size_t at_once = PagesAtOnce * page;
  Target target(to_fast, size);
  size_t moved = 0;
  *is_all = true;
  for (size_t done = 0; done < size; done += at_once) {
    *is_all &= move_batch(start + done, MIN2(at_once, size - done) / page, &target, &moved);
  }
  *is_full = target.is_full();
  return moved;
}
