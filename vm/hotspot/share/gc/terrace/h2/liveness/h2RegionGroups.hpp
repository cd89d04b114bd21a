/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2REGIONGROUPS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2REGIONGROUPS_HPP

#include "utilities/globalDefinitions.hpp"

// Disjoint groups of region indices (union-find). Any number of workers can merge groups
// concurrently without locks. A parent's index is never greater than its child's.
//
// The members of a group are those found by the last call of link_members.
class H2RegionGroups {
  uint           _limit;
  volatile uint* _parent;
  uint*          _next;       // next index in the ring of members

 public:
  // Creates a group for each index below limit.
  void initialize(uint limit);
  void release();

  uint group_of(uint index);
  void merge(uint a, uint b);

  // Makes the index a group of its own. Called at a safepoint, and for all indices of a group,
  // because others may belong to the group through this one.
  void reset(uint index);
  // Links the indices for which is_member is true into one ring per group. Called at a safepoint.
  template <typename IsMember> inline void link_members(IsMember is_member);
  uint next_member(uint index) const { return _next[index]; }
};

template <typename IsMember>
inline void H2RegionGroups::link_members(IsMember is_member) {
  // The index that names a group comes first. If it is not a member, it keeps a link into the ring.
  for (uint i = 0; i < _limit; i++) {
    const uint group = group_of(i);
    const uint entry = _next[group];
    if (group == i || !is_member(i)) {
      _next[i] = i;
    } else if (entry == group && !is_member(group)) {
      _next[i] = i;
      _next[group] = i;
    } else {
      _next[i] = _next[entry];
      _next[entry] = i;
    }
  }
}

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2REGIONGROUPS_HPP
