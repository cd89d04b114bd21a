/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTGROWNTASK_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTGROWNTASK_HPP

#include "gc/terrace/h2/transfer/selection/h2SelectTask.hpp"
#include "utilities/growableArray.hpp"

class H2Region;

// The regions whose slots are followed to the H1 objects that are selected. Programs add these objects to structures
// that are in H2.
class H2GrownRegions {
  GrowableArray<H2Region*> _regions;
  bool                     _is_rest;    // only slots of the due labels of H2Rest are followed

 public:
  H2GrownRegions() : _regions(64, mtGC), _is_rest(false) {}

  // Finds the regions that may contain objects with labels for which is_wanted() holds.
  void find(bool is_rest);
  void clear()                  { _regions.clear(); }
  // Whether the objects to which objects with this label refer are selected, too.
  bool is_wanted(jlong label) const;

  bool is_empty() const         { return _regions.is_empty(); }
  int  count() const            { return _regions.length(); }
  H2Region* at(int i) const     { return _regions.at(i); }
};

// Selects H1 objects to which slots of H2 refer, as many as fit. Their closures may be split.
class H2SelectGrownTask : public H2SelectTask {
  const H2GrownRegions& _grown;
  H2SelectGroups&       _groups;
  volatile int          _claimed;

  int claim();

 protected:
  virtual void select(H2SelectClosure& cl);

 public:
  H2SelectGrownTask(H2Selection& selection, uint worker_count, const H2GrownRegions& grown, H2SelectGroups& groups) :
    H2SelectTask(selection, worker_count, true), _grown(grown), _groups(groups), _claimed(0) {}
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTGROWNTASK_HPP
