/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACEMACROS_HPP
#define SHARE_GC_TERRACE_TERRACEMACROS_HPP

// Wraps a hook, so that it vanishes with INCLUDE_TERRACE=0.

#ifndef INCLUDE_TERRACE
#define INCLUDE_TERRACE 0
#endif

#if INCLUDE_TERRACE
#define TERRACE_ONLY(...) __VA_ARGS__
#else
#define TERRACE_ONLY(...)
#endif

#endif // SHARE_GC_TERRACE_TERRACEMACROS_HPP
