/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2COPIER_HPP
#define SHARE_GC_TERRACE_H2_H2COPIER_HPP

#include "memory/allStatic.hpp"

class H2Assigner;
class WorkGang;

// Writes moving objects to the device, references to other moving objects
// replaced by their new addresses: the third phase of a transfer. H1 stays as
// it is.
class H2Copier : public AllStatic {
 public:
  // NULL, or why it failed.
  static const char* copy(const H2Assigner& assigner, WorkGang* workers);
};

#endif // SHARE_GC_TERRACE_H2_H2COPIER_HPP
