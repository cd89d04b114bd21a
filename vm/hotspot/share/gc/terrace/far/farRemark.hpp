/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARREMARK_HPP
#define SHARE_GC_TERRACE_FAR_FARREMARK_HPP

#include "memory/allocation.hpp"

// Remark reads the header of each humongous object, and where classes can be unloaded
// most of the metaspace and of the code cache, of which the program uses only its hot part in
// between. Its workers would wait for one page after the other. So the thread of the
// concurrent cycle asks for them before it stops the program.
class FarRemark : public AllStatic {
  static void ask_for_humongous();
  static void ask_for_metaspace();
  static void ask_for_code();

 public:
  static void ask_ahead();
};

#endif // SHARE_GC_TERRACE_FAR_FARREMARK_HPP
