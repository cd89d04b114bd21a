/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_H2_H2THREADSTATE_HPP
#define SHARE_GC_TERRACE_H2_H2THREADSTATE_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// What the system says of threads of this process, by the numbers that it gives them.
class H2ThreadState : public AllStatic {
 public:
  static bool is_known();
  // Whether a thread is asleep and has not called the system: then it waits for
  // a page that the instruction at *pc needs.
  static bool waits_for_page(int thread, uintptr_t* pc);
  // Whether the signal by which the VM interrupts threads is still its own: a
  // program that handles it would be told of what is none of its business.
  static bool is_signal_of_vm();
  // Page faults of this process that had to wait for a device and no longer do.
  static jlong major_faults();
  // Bytes that this process has read from devices, page faults included.
  static jlong read_bytes();
};

#endif // SHARE_GC_TERRACE_H2_H2THREADSTATE_HPP
