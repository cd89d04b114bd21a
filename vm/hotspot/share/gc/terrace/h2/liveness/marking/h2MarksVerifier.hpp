/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKSVERIFIER_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKSVERIFIER_HPP

#include "memory/allStatic.hpp"

class H2MarkingRuns;

// Verifies that a marking through H2 has missed no reference that the program wrote while marks were
// set ahead (VerifyH2).
class H2MarksVerifier : public AllStatic {
 public:
  // Called after marking, before anything is overwritten.
  static void verify(const H2MarkingRuns& runs);
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_MARKING_H2MARKSVERIFIER_HPP
