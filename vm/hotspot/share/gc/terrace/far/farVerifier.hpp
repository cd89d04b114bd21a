/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARVERIFIER_HPP
#define SHARE_GC_TERRACE_FAR_FARVERIFIER_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "memory/allStatic.hpp"

class G1CollectedHeap;
class G1ConcurrentMark;

// Marks what is strongly reachable at remark, when marking is done, in a bitmap
// of its own, and stops the VM if concurrent marking has missed some of it.
class FarVerifier : public AllStatic {
  static size_t _marked_before;        // objects, when concurrent marking was through

  static size_t count_marked(G1CollectedHeap* heap, uint index);

 public:
  // What is marked from now on is remark's work, and that of pauses before it.
  static void note_marked(G1CollectedHeap* heap);
  static void verify(G1CollectedHeap* heap);
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_FAR_FARVERIFIER_HPP
