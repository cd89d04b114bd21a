/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2EVACUATION_HPP
#define SHARE_GC_TERRACE_H2_H2EVACUATION_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class WorkGang;

// Empties regions of which little is alive into fewer others, so that one live
// object no longer holds a whole region: after a marking through H2, whose
// marks are exact.
//
//   select   sources, label by label: regions of which at most half is reachable
//   copy     their reachable objects to regions of their label that are opened
//            for it; the sources are intact until here, so that any failure
//            means "forget it"
//   forward  the mark word of an old object tells where its copy is
//   update   slots of the copies, and of the runs that refer to a source
//
// Slots of H1 and roots get the new addresses with those of all that moves there,
// so the sources are freed when the compaction has ended.
class H2Evacuation : public AllStatic {
 public:
  struct Source {
    H2Region* region;
    size_t    words;      // that are reachable
    uint      target;     // index into targets
    HeapWord* to;
  };

 private:
  static GrowableArray<Source>*    _sources;
  static GrowableArray<H2Region*>* _targets;

  static void pack(uint max_targets);
  static void open_targets();
  static void give_up();

 public:
  // While the marks are there, in this order. What select() has chosen has
  // is_evacuated() set from then on, and regions are open for it.
  static void select();
  static bool is_empty()                { return _sources == NULL; }
  // False if nothing has changed, and no region is chosen any more.
  static bool run(WorkGang* workers);

  // How many regions more will be free.
  static uint freed_count() {
    return _sources == NULL ? 0 : (uint)(_sources->length() - _targets->length());
  }

  // The new address of an object of H2, from run() to end().
  static HeapWord* location(HeapWord* addr);

  // After the compaction. Returns the regions freed.
  static uint end();
};

#endif // SHARE_GC_TERRACE_H2_H2EVACUATION_HPP
