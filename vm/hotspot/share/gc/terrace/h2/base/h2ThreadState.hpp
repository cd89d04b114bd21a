/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_H2_BASE_H2THREADSTATE_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2THREADSTATE_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The state of threads of this process, and counters of the process, as the system reports them.
// A thread is identified by its thread ID in the system.
class H2ThreadState : public AllStatic {
 public:
  // Whether the system reports the state of threads. Called first.
  static bool is_known();
  // Whether a thread sleeps outside of a system call. It then waits for a page that the
  // instruction at *pc needs.
  static bool waits_for_page(int thread, uintptr_t* pc);
  // Whether the VM still handles the signal with which it interrupts threads. If the program
  // has replaced the handler, it must not receive signals that are meant for the VM.
  static bool is_signal_of_vm();
  // The finished page faults of this process that had to wait for a device.
  static jlong major_faults();
  // The bytes that this process has read from devices, including page faults.
  static jlong read_bytes();
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2THREADSTATE_HPP
