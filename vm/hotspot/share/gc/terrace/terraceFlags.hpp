/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACEFLAGS_HPP
#define SHARE_GC_TERRACE_TERRACEFLAGS_HPP

#include "memory/allStatic.hpp"

// Reads the flags of Terrace.
class TerraceFlags : public AllStatic {
 public:
  // The value of a string flag. HotSpot keeps NULL for an empty one.
  static const char* text(const char* flag) { return flag == NULL ? "" : flag; }
};

#endif // SHARE_GC_TERRACE_TERRACEFLAGS_HPP
