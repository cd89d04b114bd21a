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
#include "gc/terrace/h2/paging/h2FaultAddress.hpp"
#include "runtime/safefetch.hpp"

#include <ucontext.h>

// Decodes the memory operand of an x86 instruction. Most instructions consist of prefixes, an opcode, and a
// byte that encodes the addressing of the operand in memory (Intel's manual, volume 2, chapter 2). An
// instruction without this byte is not decoded, because the following bytes would be mistaken for an address.
// It only waits for its own page, or for a page of the stack.

// One bit per opcode, for one-byte opcodes and for opcodes after 0f, 16 in a row (appendix A).
static const uint16_t HasOperand[16] = {
  0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0x0000, 0x0000, 0x0a08, 0x0000,
  0xdfff, 0x0000, 0x0000, 0x0000, 0x00c3, 0xff0f, 0x0000, 0xc0c0
};
static const uint16_t HasOperandAfter0f[16] = {
  0x000f, 0x00ff, 0xff00, 0x0000, 0xffff, 0xffff, 0xffff, 0xff7f,
  0x0000, 0xffff, 0xf838, 0xffff, 0x00ff, 0xffff, 0xffff, 0xffff
};

static bool has_operand(const uint16_t* rows, uint8_t opcode) {
  return (rows[opcode >> 4] >> (opcode & 15) & 1) != 0;
}

int H2FaultAddress::operands(const uint8_t* code, const uintptr_t* registers, uintptr_t* result) {
  enum { RSI = 6, RDI = 7 };
  const uint8_t* p = code;
  for (;; p++) {
    if (*p == 0x64 || *p == 0x65) {
      return 0;                          // thread-local memory
    }
    if (*p != 0x66 && *p != 0x67 && *p != 0xf0 && *p != 0xf2 && *p != 0xf3 && (*p & 0xe7) != 0x26) {
      break;
    }
    if (p - code >= 4) {
      return 0;
    }
  }
  int index_bit = 0;                     // high bits of register numbers
  int base_bit = 0;
  int scale_of_byte = 1;
  if ((*p & 0xf0) == 0x40) {             // REX
    index_bit = (*p & 2) << 2;
    base_bit = (*p & 1) << 3;
    p++;
  }
  if (*p == 0xc5) {                      // VEX
    p += 2;
    if (*p == 0x77) {
      return 0;                          // VZEROUPPER
    }
  } else if (*p == 0xc4 || *p == 0x62) { // VEX with three bytes, or EVEX
    index_bit = (p[1] & 0x40) == 0 ? 8 : 0;
    base_bit = (p[1] & 0x20) == 0 ? 8 : 0;
    const uint8_t opcode = p[*p == 0x62 ? 4 : 3];
    if ((p[1] & 3) == 2 && ((opcode & 0xfc) == 0x90 || (opcode & 0xfc) == 0xa0)) {
      return 0;                          // gather or scatter, with many addresses
    }
    if (*p == 0x62) {
      scale_of_byte = 16 << ((p[3] >> 5) & 3);   // assumes whole vectors, which nearly all instructions use
      p += 4;
    } else {
      p += 3;
    }
  } else if (*p == 0x0f) {
    if (p[1] == 0x38 || p[1] == 0x3a) {
      p += 2;
    } else if (has_operand(HasOperandAfter0f, p[1])) {
      p += 1;
    } else {
      return 0;
    }
  } else if (*p == 0xa4 || *p == 0xa5 || *p == 0xa6 || *p == 0xa7) {
    result[0] = registers[RSI];          // MOVS, CMPS
    result[1] = registers[RDI];
    return 2;
  } else if (*p == 0xac || *p == 0xad) { // LODS
    result[0] = registers[RSI];
    return 1;
  } else if (*p == 0xaa || *p == 0xab || *p == 0xae || *p == 0xaf) {
    result[0] = registers[RDI];          // STOS, SCAS
    return 1;
  } else if (!has_operand(HasOperand, *p)) {
    return 0;
  }
  p++;                                   // the opcode
  const int mode = *p >> 6;
  const int field = *p & 7;
  p++;
  if (mode == 3 || (mode == 0 && field == 5)) {
    return 0;                            // no memory operand, or relative to the instruction
  }
  uintptr_t address = 0;
  bool has_base = true;
  int base = field | base_bit;
  if (field == 4) {                      // SIB
    const int index = ((*p >> 3) & 7) | index_bit;
    if (index != 4) {
      address += registers[index] << (*p >> 6);
    }
    base = (*p & 7) | base_bit;
    has_base = mode != 0 || (*p & 7) != 5;
    p++;
  }
  if (has_base) {
    address += registers[base];
  }
  if (mode == 1) {
    address += (intptr_t)(int8_t)*p * scale_of_byte;
  } else if (mode == 2 || !has_base) {
    int32_t displacement;
    memcpy(&displacement, p, sizeof(displacement));
    address += (intptr_t)displacement;
  }
  result[0] = address;
  return 1;
}

uintptr_t H2FaultAddress::pc_of(const void* ucontext) {
  return (uintptr_t)((const ucontext_t*)ucontext)->uc_mcontext.gregs[REG_RIP];
}

int H2FaultAddress::operands_of(const void* ucontext, uintptr_t* result) {
  static const int order[RegisterCount] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                            REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
  uintptr_t registers[RegisterCount];
  for (int i = 0; i < RegisterCount; i++) {
    registers[i] = (uintptr_t)((const ucontext_t*)ucontext)->uc_mcontext.gregs[order[i]];
  }
  int code[CodeBytes / sizeof(int)];
  const uintptr_t pc = pc_of(ucontext);
  for (size_t i = 0; i < ARRAY_SIZE(code); i++) {
    code[i] = SafeFetch32((int*)(pc + i * sizeof(int)), 0);
  }
  return operands((const uint8_t*)code, registers, result);
}
