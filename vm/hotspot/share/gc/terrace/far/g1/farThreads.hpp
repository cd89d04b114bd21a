/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARTHREADS_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARTHREADS_HPP

#include "memory/allStatic.hpp"

class FarFaults;

// The threads of G1, by what they do.
class FarThreads : public AllStatic {
 public:
  // Reads the current counts of faults.
  static void count(FarFaults* faults);
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARTHREADS_HPP
