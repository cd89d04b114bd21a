/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2COPIER_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2COPIER_HPP

#include "memory/allStatic.hpp"

class H2Assigner;
class WorkGang;

// The third phase of a transfer. It writes the moving objects to the device, and replaces their
// references to other moving objects by the new addresses. H1 does not change.
class H2Copier : public AllStatic {
 public:
  // Returns NULL, or an error message.
  static const char* copy(const H2Assigner& assigner, WorkGang* workers);
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2COPIER_HPP
