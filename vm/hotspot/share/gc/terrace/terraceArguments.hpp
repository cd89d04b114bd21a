/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACEARGUMENTS_HPP
#define SHARE_GC_TERRACE_TERRACEARGUMENTS_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Checks the flags of Terrace, and computes the size of H2. If a flag is wrong, vm_exit_during_initialization
// is called with the flag's name and the remedy.
class TerraceArguments : public AllStatic {
  static size_t _h2_size;

  static void   initialize_gc_threads();
  static void   initialize_far();
  static size_t compressed_oops_room(size_t h1_byte_size);

 public:
  static void initialize();

  // The size for which compressed oops must leave space, including the displacement.
  static size_t with_explicit_h2_size(size_t displacement);
  // Computes the size of H2 once the size of H1 is known.
  static size_t total_reserved(size_t h1_byte_size);
  static size_t h2_size()           { return _h2_size; }
};

#endif // SHARE_GC_TERRACE_TERRACEARGUMENTS_HPP
