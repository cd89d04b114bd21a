/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_H2_PAGING_H2FAULTADDRESS_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2FAULTADDRESS_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Finds the memory that an instruction is about to access. The kernel does not tell at which
// address a thread waits for a page, but it tells the address of the instruction.
class H2FaultAddress : public AllStatic {
 public:
  static const int CodeBytes = 16;           // the longest instruction
  static const int RegisterCount = 16;

  // Finds the operands in memory that are addressed by registers, and returns their number, at most
  // two. The registers have the order of their numbers in instructions.
  static int operands(const uint8_t* code, const uintptr_t* registers, uintptr_t* result);

  // Likewise, for an interrupted thread.
  static int operands_of(const void* ucontext, uintptr_t* result);
  static uintptr_t pc_of(const void* ucontext);
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2FAULTADDRESS_HPP
