/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_REPORT_H2DEVICEFAULT_HPP
#define SHARE_GC_TERRACE_H2_REPORT_H2DEVICEFAULT_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class Thread;

// Reports that the device could not deliver or store a page of H2. Upstream would take some of these
// faults for errors of Unsafe, and continue after the instruction.
class H2DeviceFault : public AllStatic {
 public:
  // Called in the signal handler. Stops the VM if the fault is such a one.
  static void check(Thread* thread, int sig, address pc, void* siginfo, void* context);
};

#endif // SHARE_GC_TERRACE_H2_REPORT_H2DEVICEFAULT_HPP
