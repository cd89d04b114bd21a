/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACECOMMANDS_HPP
#define SHARE_GC_TERRACE_TERRACECOMMANDS_HPP

#include "gc/terrace/terraceMacros.hpp"

#if INCLUDE_TERRACE

#include "memory/allStatic.hpp"

// The diagnostic commands of Terrace, for jcmd and the DiagnosticCommand MBean.
class TerraceCommands : public AllStatic {
 public:
  // Called at the start of the VM, even if H2 and far memory are off.
  static void register_all();
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_TERRACECOMMANDS_HPP
