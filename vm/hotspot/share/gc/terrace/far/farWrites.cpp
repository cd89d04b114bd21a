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
#include "gc/terrace/far/farWrites.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "utilities/bitMap.inline.hpp"

bool FarWrites::_is_on = false;
bool FarWrites::_has_huge_pages = false;

bool FarWrites::forgets(BitMap& written) {
  if (FarMemoryForgetWrites) {
    written.clear();
  }
  return false;
}

void FarWrites::initialize() {
  _is_on = open();
  _has_huge_pages = has_huge_pages();
}
