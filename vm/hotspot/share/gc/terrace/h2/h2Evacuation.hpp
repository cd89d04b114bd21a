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

#include "gc/terrace/h2/h2Marks.hpp"
#include "gc/terrace/h2/h2TransferBudget.hpp"
#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class WorkGang;

// Empties regions of which little is alive into fewer others, so that one live
// object no longer holds a whole region: after a marking through H2, whose
// marks are exact.
//
//   select   sources, label by label: regions of which at most half is reachable, and runs
//            whose large array has died; as many as the goal for a transfer's time lets
//   copy     their reachable objects to regions of their label that are opened
//            for it; any failure means "forget it"
//   update   slots of the copies, and of the runs that refer to a source
//
// Nothing is written into a source, which would then have to reach the device. Where a
// copy is follows from the marks: a source has the offset of the first one that starts
// in each chunk of it.
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
    uint*     offsets;    // by chunk, in words; what they say of a chunk without a mark is void
    uint*     label_words;  // that are reachable, by span of H2LabelSpans
  };
  // As many as one word of the marks speaks of.
  static const size_t ChunkWords = H2Marks::WordsPerBit * BitsPerWord;

 private:
  static GrowableArray<Source>*    _sources;
  static uint*                     _source_of;      // by region; an index into sources, if it is emptied
  static GrowableArray<H2Region*>* _targets;
  static uint                      _worth_count;    // regions that would be free more, if all sparse ones were emptied

  static uint source_regions();
  static H2TransferBudget          _budget;         // in words to copy, and to look through for references

  static void pack(uint max_targets);
  static void cut(size_t max_words);
  static void open_targets();
  static void move_labels();
  static void give_up();

 public:
  // While the marks are there, in this order. What select() has chosen has
  // is_evacuated() set from then on, and regions are open for it.
  static void select(size_t max_words);
  static bool is_empty()                { return _sources == NULL; }
  // False if nothing has changed, and no region is chosen any more.
  static bool run(WorkGang* workers);

  // A collection with this goal may read and write so many words; 0: it has none.
  static size_t words_for(uintx goal_millis) { return goal_millis == 0 ? max_uintx : _budget.words(goal_millis); }

  // How many regions will become free.
  static uint source_count()            { return _sources == NULL ? 0 : source_regions(); }
  // How many more will be free.
  static uint freed_count() {
    return _sources == NULL ? 0 : source_regions() - (uint)_targets->length();
  }
  // How many would be without a goal: a part of that says little of whether such markings are worth it.
  static uint worth_count()             { return _sources == NULL ? 0 : _worth_count; }

  // The new address of an object of H2, from run() to end().
  static HeapWord* location(HeapWord* addr);

  // After the compaction. Returns the regions freed.
  static uint end();
};

#endif // SHARE_GC_TERRACE_H2_H2EVACUATION_HPP
