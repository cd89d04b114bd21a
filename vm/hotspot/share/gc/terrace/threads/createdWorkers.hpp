/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_THREADS_CREATEDWORKERS_HPP
#define SHARE_GC_TERRACE_THREADS_CREATEDWORKERS_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The number of ParallelGC threads on which a collection can rely. Upstream's minor collection does not check
// how many threads could be created, and waits forever for missing ones. It still does so if Terrace's flags
// are off.
class CreatedWorkers : public AllStatic {
 public:
  // Returns at most the wanted number.
  static uint count(uint wanted);
};

#endif // SHARE_GC_TERRACE_THREADS_CREATEDWORKERS_HPP
