/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2EVACUATION_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2EVACUATION_HPP

#include "gc/terrace/h2/liveness/h2TransferBudget.hpp"
#include "gc/terrace/h2/space/h2Marks.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class WorkGang;

// The evacuation of sparse regions of H2 into fewer regions, so that one live object no longer
// keeps a whole region alive. It follows a marking through H2, because the marks are exact then.
//
//   select   chooses sources, label by label: regions that are at most half reachable, and
//            runs whose large array is dead. The time goal of transfers limits their number
//   copy     copies their reachable objects to regions that are opened for their label. Any
//            failure cancels the evacuation
//   update   updates the slots of the copies, and of the runs that refer to a source
//
// Nothing is written into a source, because the device would have to store it. The address of
// a copy is computed from the marks. For this, a source has one offset per chunk, which is the
// offset of the first copy whose original starts in the chunk.
//
// Slots of H1 and roots are adjusted together with references to objects that compaction moves,
// so the sources are freed after the compaction.
class H2Evacuation {
 public:
  struct Source {
    H2Region* region;
    size_t    words;      // reachable
    uint      target;     // index into targets
    HeapWord* to;
    uint*     offsets;    // one per chunk, in words; undefined for a chunk without marks
    uint*     label_words;  // reachable, one per span of H2LabelSpans
  };
  // The heap words that one word of the mark bitmap covers.
  static const size_t ChunkWords = H2Marks::WordsPerBit * BitsPerWord;

 private:
  // The evacuation of one collection.
  struct Plan : public CHeapObj<mtGC> {
    GrowableArray<Source>*   sources;
    uint* const              source_of;       // by region: the index in sources, if it is evacuated
    GrowableArray<H2Region*> targets;
    uint                     worth_count;     // additional free regions if all sparse regions were evacuated

    Plan(uint region_count);
    ~Plan();
  };

  // An object, because a pointer to it would be read for each reference.
  static H2Evacuation _of_h2;

  Plan*            _plan;        // NULL: nothing is evacuated
  H2TransferBudget _budget;      // in words to copy, and to search for references

  NONCOPYABLE(H2Evacuation);

  uint source_regions() const;

  void pack(uint max_targets);
  void cut(size_t max_words);
  void open_targets();
  void move_labels();
  void give_up();

 public:
  H2Evacuation() : _plan(NULL) {}

  static H2Evacuation& of_h2()          { return _of_h2; }

  // Called while the marks exist, before run(). Chooses the sources, sets their is_evacuated()
  // and opens the target regions.
  void select(size_t max_words);
  bool is_empty() const                 { return _plan == NULL; }
  // Returns false after a failure. Nothing has changed then, and no region is a source any more.
  bool run(WorkGang* workers);

  // The words that a collection with this goal may read and write. 0: it has no goal.
  size_t words_for(uintx goal_millis) const { return goal_millis == 0 ? max_uintx : _budget.words(goal_millis); }

  // The number of regions that the evacuation empties.
  uint source_count() const             { return _plan == NULL ? 0 : source_regions(); }
  // The same number minus the regions opened for it.
  uint freed_count() const {
    return _plan == NULL ? 0 : source_regions() - (uint)_plan->targets.length();
  }
  // The freed_count() of an evacuation without a time goal. It shows better whether such markings
  // are worthwhile.
  uint worth_count() const              { return _plan == NULL ? 0 : _plan->worth_count; }

  // The new address of the H2 object at addr, or addr if it stays. Valid from run() to end().
  HeapWord* location(HeapWord* addr) const;

  // Called after the compaction. Returns the number of freed regions.
  uint end();
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2EVACUATION_HPP
