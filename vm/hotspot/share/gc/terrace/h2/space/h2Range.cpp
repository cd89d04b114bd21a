/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"

uintptr_t H2Range::_base = 0;
size_t    H2Range::_byte_size = 0;
uintptr_t H2Range::_moving_base = 0;
size_t    H2Range::_moving_byte_size = 0;
uintptr_t H2Range::_leaving_base = 0;
size_t    H2Range::_leaving_byte_size = 0;
