/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_G1_FARREMARK_HPP
#define SHARE_GC_TERRACE_FAR_G1_FARREMARK_HPP

#include "memory/allocation.hpp"

// Prefetches pages for the remark pause, called by the thread of the concurrent cycle before the
// pause. Remark reads the header of each humongous object. If classes can be unloaded, it also
// reads most of the metaspace and the code cache, of which the program uses only a small part.
// Without prefetching, its workers would wait for these pages one by one.
class FarRemark : public AllStatic {
  static void ask_for_humongous();
  static void ask_for_metaspace();
  static void ask_for_code();

 public:
  static void ask_ahead();
};

#endif // SHARE_GC_TERRACE_FAR_G1_FARREMARK_HPP
