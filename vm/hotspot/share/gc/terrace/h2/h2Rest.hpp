/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2REST_HPP
#define SHARE_GC_TERRACE_H2_H2REST_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/resourceHash.hpp"

// Labels of which a part has moved, as a pause has a goal. Tags do not lead to
// the rest where their roots have moved: slots in regions of the label do.
// At safepoints.
class H2Rest : public AllStatic {
  typedef ResourceHashtable<jlong, bool, primitive_hash<jlong>, primitive_equals<jlong>, 1031,
                            ResourceObj::C_HEAP, mtGC> Labels;
  static Labels* _labels;
  static int     _count;

 public:
  static bool is_empty()             { return _count == 0; }
  static bool contains(jlong label)  { return _count != 0 && _labels->contains(label); }
  static void add(jlong label);
  static void clear();
  // Forgets labels that are no longer due.
  static void prune();
};

#endif // SHARE_GC_TERRACE_H2_H2REST_HPP
