/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACENATIVES_HPP
#define SHARE_GC_TERRACE_TERRACENATIVES_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

class Method;

// The native methods of org.terrace.SecondHeap, FarMemory and GCThreads, for any defining class loader. The API
// calls them only if the VM has set terrace.h2, terrace.far or terrace.gcthreads. Other classes with these names
// may call them at any time, so they check it again.
class TerraceNatives : public AllStatic {
 public:
  // Returns NULL if the method is not one of them.
  static address lookup(const Method* method);
};

#endif // SHARE_GC_TERRACE_TERRACENATIVES_HPP
