/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_REPORT_H2VERIFIER_HPP
#define SHARE_GC_TERRACE_H2_REPORT_H2VERIFIER_HPP

#include "memory/allStatic.hpp"

// Checks the invariants of H2 at a safepoint outside a collection, and stops the VM at the first
// object that violates one. docs/internals/invariants.md lists them.
class H2Verifier : public AllStatic {
 public:
  static void verify(const char* when);
  // Likewise, if VerifyH2 is on. collection: "minor" or "major".
  static void verify_before(const char* collection);
};

#endif // SHARE_GC_TERRACE_H2_REPORT_H2VERIFIER_HPP
