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
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierNode.hpp"
#include "gc/terrace/tiers/tierPages.hpp"
#include "logging/log.hpp"
#include "runtime/java.hpp"
#include "runtime/os.hpp"
#include "utilities/formatBuffer.hpp"

class TierFilePages : public TierPages {
  bool (*const _has_huge_pages)(const void* p);

 public:
  TierFilePages(bool (*has_huge_pages)(const void* p)) : _has_huge_pages(has_huge_pages) {}
  virtual bool stay() const                { return false; }
  virtual size_t most_per_second() const   { return 0; }
  virtual size_t bring(char* start, size_t size, bool* is_all) {
    H2File::prefetch(start, size, _has_huge_pages(start));
    return size;
  }
  // The system keeps dirty pages, so the caller must look again later, until they are written back.
  virtual size_t give_back(char* start, size_t size, bool* is_all) {
    *is_all &= H2File::give_back(start, size);
    return size;
  }
};

class TierNodePages : public TierPages {
  // After a move failed for lack of space, further moves wait this long, for all regions.
  static const jlong PatienceNanos = NANOSECS_PER_SEC / 2;

  jlong _full_at[2];

  size_t move(char* start, size_t size, bool to_fast, bool* is_all) {
    const jlong now = os::javaTimeNanos();
    if (now - _full_at[to_fast] < PatienceNanos) {
      *is_all = false;
      return 0;
    }
    bool is_there;
    bool is_full;
    const size_t moved = TierNode::move(start, size, to_fast, &is_there, &is_full);
    *is_all &= is_there;
    if (is_full) {
      _full_at[to_fast] = now;
    }
    return moved;
  }

 public:
  TierNodePages() {
    _full_at[false] = _full_at[true] = os::javaTimeNanos() - PatienceNanos;
  }
  virtual bool stay() const                { return true; }
  virtual size_t most_per_second() const   { return H2MigrationRate; }
  virtual size_t bring(char* start, size_t size, bool* is_all) {
    return move(start, size, true, is_all);
  }
  virtual size_t give_back(char* start, size_t size, bool* is_all) {
    return move(start, size, false, is_all);
  }
};

TierPages* TierPages::create(bool (*has_huge_pages)(const void* p)) {
  if (!H2Storage::of_h2().moves_to_fast_nodes()) {
    return new TierFilePages(has_huge_pages);
  }
  const char* const error = TierNode::check_moves();
  if (error != NULL) {
    vm_exit_during_initialization(err_msg("H2FastSize: pages cannot be moved from node " INTX_FORMAT " to others: %s; or remove "
                                          "H2FastSize", AllocateH2OnNode, error));
  }
  if (!TierNode::has_fast_nodes()) {
    log_warning(gc, h2)("H2FastSize has no effect: the process may use no node but AllocateH2OnNode=" INTX_FORMAT, AllocateH2OnNode);
  }
  return new TierNodePages();
}
