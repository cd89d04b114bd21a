/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2RELOCATION_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2RELOCATION_HPP

#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

// The new addresses of objects that are in H2 or move there, for each adjusted reference. Objects of H1 move
// by H2Forwarding, and objects of H2 by H2Evacuation.
class H2Relocation : public AllStatic {
  static HeapWord* of_moving(HeapWord* addr);     // NULL: stays in H1
  static HeapWord* of_leaving(HeapWord* addr);

 public:
  // Returns true if addr is in H2 or moves there, and sets result to the new location.
  static bool find(HeapWord* addr, HeapWord*& result) {
    if (H2Range::contains(addr)) {
      result = H2Range::may_leave(addr) ? of_leaving(addr) : addr;
      return true;
    }
    if (H2Range::may_move(addr)) {
      HeapWord* const to = of_moving(addr);
      if (to != NULL) {
        result = to;
        return true;
      }
    }
    return false;
  }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2RELOCATION_HPP
