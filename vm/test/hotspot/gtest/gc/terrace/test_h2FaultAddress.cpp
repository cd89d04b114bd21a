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
#include "unittest.hpp"

#include <initializer_list>

class H2FaultAddressTest : public ::testing::Test {
 protected:
  // Register n holds (n + 1) << 32.
  uintptr_t _registers[H2FaultAddress::RegisterCount];
  uintptr_t _found[2];

  H2FaultAddressTest() {
    for (int i = 0; i < H2FaultAddress::RegisterCount; i++) {
      _registers[i] = r(i);
    }
  }

  static uintptr_t r(int number)       { return (uintptr_t)(number + 1) << 32; }

  int operands(std::initializer_list<int> bytes) {
    uint8_t code[H2FaultAddress::CodeBytes] = {};
    int length = 0;
    for (int byte : bytes) {
      code[length++] = (uint8_t)byte;
    }
    return H2FaultAddress::operands(code, _registers, _found);
  }

  void expect(uintptr_t address, std::initializer_list<int> bytes) {
    ASSERT_EQ(operands(bytes), 1);
    ASSERT_EQ(_found[0], address);
  }
};

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

TEST_F(H2FaultAddressTest, base_and_displacement) {
  expect(r(RAX), { 0x8b, 0x08 });                                      // mov (%rax),%ecx
  expect(r(RDI) + 12, { 0x8b, 0x47, 0x0c });                           // mov 0xc(%rdi),%eax
  expect(r(RBX) - 8, { 0x48, 0x8b, 0x43, 0xf8 });                      // mov -0x8(%rbx),%rax
  expect(r(R9) + 0x12345, { 0x45, 0x8b, 0x81, 0x45, 0x23, 0x01, 0x00 });  // mov 0x12345(%r9),%r8d
  expect(r(R13), { 0x41, 0x8b, 0x45, 0x00 });                          // mov 0x0(%r13),%eax
  expect(r(R12) + 4, { 0x41, 0x8b, 0x44, 0x24, 0x04 });                // mov 0x4(%r12),%eax
}

TEST_F(H2FaultAddressTest, index_and_scale) {
  expect(r(R12) + 8 * r(R11) + 16, { 0x43, 0x8b, 0x44, 0xdc, 0x10 });  // mov 0x10(%r12,%r11,8),%eax
  expect(r(RSI) + 4 * r(RCX), { 0x8b, 0x04, 0x8e });                   // mov (%rsi,%rcx,4),%eax
  expect(8 * r(RAX) + 0x10, { 0x8b, 0x04, 0xc5, 0x10, 0, 0, 0 });      // mov 0x10(,%rax,8),%eax
  expect(r(RAX) + r(R12), { 0x42, 0x8b, 0x04, 0x20 });                 // mov (%rax,%r12,1),%eax
}

TEST_F(H2FaultAddressTest, prefixes_and_maps) {
  expect(r(RSI) + 2, { 0x66, 0x89, 0x46, 0x02 });                      // mov %ax,0x2(%rsi)
  expect(r(RDX), { 0xf0, 0x0f, 0xb1, 0x0a });                          // lock cmpxchg %ecx,(%rdx)
  expect(r(RBP) + 1, { 0x0f, 0xb6, 0x45, 0x01 });                      // movzbl 0x1(%rbp),%eax
  expect(r(RDI) + 16, { 0xf3, 0x0f, 0x6f, 0x47, 0x10 });               // movdqu 0x10(%rdi),%xmm0
  expect(r(RSI), { 0x66, 0x0f, 0x3a, 0x61, 0x06, 0x19 });              // pcmpestri $0x19,(%rsi),%xmm0
}

TEST_F(H2FaultAddressTest, vectors) {
  expect(r(RSI) + 32, { 0xc5, 0xfe, 0x6f, 0x46, 0x20 });               // vmovdqu 0x20(%rsi),%ymm0
  expect(r(R9) + r(R10), { 0xc4, 0x01, 0x7e, 0x6f, 0x04, 0x11 });      // vmovdqu (%r9,%r10,1),%ymm8
  expect(r(RSI) + 64, { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x46, 0x01 });   // vmovdqu64 0x40(%rsi),%zmm0
  expect(r(RSI) - 32, { 0x62, 0xe1, 0xfe, 0x28, 0x6f, 0x46, 0xff });   // vmovdqu64 -0x20(%rsi),%ymm16
}

TEST_F(H2FaultAddressTest, strings) {
  ASSERT_EQ(operands({ 0xf3, 0xa4 }), 2);                              // rep movsb
  ASSERT_EQ(_found[0], r(RSI));
  ASSERT_EQ(_found[1], r(RDI));
  expect(r(RDI), { 0xf3, 0x48, 0xab });                                // rep stos %rax,(%rdi)
  expect(r(RSI), { 0xac });                                            // lods (%rsi),%al
}

TEST_F(H2FaultAddressTest, says_nothing_of_others) {
  ASSERT_EQ(operands({ 0x8b, 0xc1 }), 0);                              // mov %ecx,%eax
  ASSERT_EQ(operands({ 0x8b, 0x05, 0, 0, 0, 0 }), 0);                  // mov 0x0(%rip),%eax
  ASSERT_EQ(operands({ 0x64, 0x8b, 0x00 }), 0);                        // mov %fs:(%rax),%eax
  ASSERT_EQ(operands({ 0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x88 }), 0);      // vpgatherdd %ymm2,(%rax,%ymm1,4),%ymm0
  ASSERT_EQ(operands({ 0x62, 0xf2, 0x7d, 0x49, 0xa0, 0x04, 0x88 }), 0);   // vpscatterdd %zmm0,(%rax,%zmm1,4){%k1}
}

// These instructions can only wait for their own page or the stack. Their next bytes look like an
// operand.
TEST_F(H2FaultAddressTest, says_nothing_without_an_operand) {
  ASSERT_EQ(operands({ 0x55, 0x48, 0x89, 0xe5 }), 0);                  // push %rbp
  ASSERT_EQ(operands({ 0x41, 0x57, 0x41, 0x56 }), 0);                  // push %r15
  ASSERT_EQ(operands({ 0xe8, 0x47, 0x10, 0x00, 0x00 }), 0);            // call
  ASSERT_EQ(operands({ 0xc3, 0x0f, 0x1f, 0x00 }), 0);                  // ret
  ASSERT_EQ(operands({ 0x74, 0x10 }), 0);                              // je
  ASSERT_EQ(operands({ 0x0f, 0x84, 0x47, 0x10, 0x00, 0x00 }), 0);      // je
  ASSERT_EQ(operands({ 0xb8, 0x47, 0x10, 0x00, 0x00 }), 0);            // mov $0x1047,%eax
  ASSERT_EQ(operands({ 0x48, 0x8d, 0x47, 0x10 }), 0);                  // lea 0x10(%rdi),%rax
  ASSERT_EQ(operands({ 0xc5, 0xf8, 0x77, 0xc3 }), 0);                  // vzeroupper
  ASSERT_EQ(operands({ 0x0f, 0x18, 0x07 }), 0);                        // prefetchnta (%rdi)
  ASSERT_EQ(operands({ 0x0f, 0x1f, 0x40, 0x00 }), 0);                  // nopl 0x0(%rax)
}

TEST_F(H2FaultAddressTest, other_opcodes) {
  expect(r(RDI) + 16, { 0x48, 0x63, 0x47, 0x10 });                     // movslq 0x10(%rdi),%rax
  expect(r(RDI), { 0x80, 0x3f, 0x00 });                                // cmpb $0x0,(%rdi)
  expect(r(RDI) + 8, { 0xc7, 0x47, 0x08, 1, 0, 0, 0 });                // movl $0x1,0x8(%rdi)
  expect(r(RSI), { 0xff, 0x26 });                                      // jmp *(%rsi)
  expect(r(RSI), { 0x48, 0xf7, 0x26 });                                // mulq (%rsi)
  expect(r(RSI), { 0x6b, 0x06, 0x03 });                                // imul $0x3,(%rsi),%eax
  expect(r(RSI), { 0xdd, 0x06 });                                      // fldl (%rsi)
  expect(r(RDI) + 4, { 0x0f, 0xaf, 0x47, 0x04 });                      // imul 0x4(%rdi),%eax
  expect(r(RDI), { 0x48, 0x0f, 0x45, 0x07 });                          // cmovne (%rdi),%rax
  expect(r(RSI), { 0x0f, 0x38, 0xf0, 0x06 });                          // movbe (%rsi),%eax
  expect(r(RSI), { 0x3e, 0x8b, 0x06 });                                // mov %ds:(%rsi),%eax
}
