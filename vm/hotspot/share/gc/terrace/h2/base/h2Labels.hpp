/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_BASE_H2LABELS_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2LABELS_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// The labels of regions whose label the program did not choose. SecondHeap rejects labels below FirstOfProgram.
class H2Labels : public AllStatic {
 public:
  // Objects that moved without a hint (H2Unhinted).
  static const jlong Arrays = min_jlong;
  static const jlong Structures = min_jlong + 1;
  // The first of the labels of regions that several labels share (H2LabelSpans).
  static const jlong FirstShared = min_jlong + 2;
  static const jlong FirstOfProgram = min_jlong + 16;

  static bool is_unhinted(jlong label)  { return label == Arrays || label == Structures; }
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2LABELS_HPP
