/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARVERIFIER_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARVERIFIER_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "memory/allStatic.hpp"

class G1CollectedHeap;
class G1ConcurrentMark;

// Verifies concurrent marking at remark. It marks all strongly reachable objects in its own bitmap,
// and stops the VM if concurrent marking missed one of them. It also stops the VM if the referent of a
// reachable java.lang.ref.Reference is not marked, and the Reference was not discovered.
class FarVerifier : public AllStatic {
  static size_t _marked_before;        // objects marked at the end of concurrent marking

  static size_t count_marked(G1CollectedHeap* heap, uint index);

 public:
  // Objects marked after this call count as work of remark and of the pauses before it.
  static void note_marked(G1CollectedHeap* heap);
  static void verify(G1CollectedHeap* heap);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_G1_FARVERIFIER_HPP
