/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_COLLECTOR_H1COMPACTION_INLINE_HPP
#define SHARE_GC_TERRACE_H2_COLLECTOR_H1COMPACTION_INLINE_HPP

#include "gc/terrace/h2/collector/h1Compaction.hpp"

#include "gc/terrace/h2/collector/parallel/h1Compaction_parallel.inline.hpp"

#endif // SHARE_GC_TERRACE_H2_COLLECTOR_H1COMPACTION_INLINE_HPP
