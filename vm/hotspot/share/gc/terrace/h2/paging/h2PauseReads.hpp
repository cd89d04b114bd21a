/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_PAGING_H2PAUSEREADS_HPP
#define SHARE_GC_TERRACE_H2_PAGING_H2PAUSEREADS_HPP

#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// Counts the bytes that the process reads from devices during pauses. The program is stopped,
// so nearly all of them are pages of H2 that the collection needs. The threads of H2Waits, of
// H2Pager and of the compilers continue, and their reads are included.
class H2PauseReads : public AllStatic {
  static jlong _before;

 public:
  // Called around the part of a collection that accesses H2.
  static void begin();
  static void end(H2Statistics::Counter counter);
  // The bytes since begin(), or 0 if the system does not tell. Called by any thread.
  static jlong bytes();
};

#endif // SHARE_GC_TERRACE_H2_PAGING_H2PAUSEREADS_HPP
