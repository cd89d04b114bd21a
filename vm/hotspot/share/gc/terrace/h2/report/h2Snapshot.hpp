/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_REPORT_H2SNAPSHOT_HPP
#define SHARE_GC_TERRACE_H2_REPORT_H2SNAPSHOT_HPP

#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "memory/allStatic.hpp"

// The values of H2Statistics as the Java API and Terrace.h2 show them. Sizes and counts that other
// classes have are read from them. A value that this VM does not measure is -1.
class H2Snapshot : public AllStatic {
 public:
  static jlong get(H2Statistics::Counter c);
};

#endif // SHARE_GC_TERRACE_H2_REPORT_H2SNAPSHOT_HPP
