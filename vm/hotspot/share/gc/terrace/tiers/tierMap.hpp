/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERMAP_HPP
#define SHARE_GC_TERRACE_TIERS_TIERMAP_HPP

#include "gc/terrace/h2/h2LabelMap.hpp"
#include "gc/terrace/tiers/tierMigration.hpp"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// Where the pages of a label's objects belong. The numbers are those of
// org.terrace.SecondHeap.Tier.
//
//   Auto  no hint: what can stay in memory is found out, as without tiers
//   Fast  in memory, as far as H2FastSize reaches
//   Slow  on the device, but while the program uses them
//   Heap  a label whose objects do not move to H2; no region has this tier
enum class Tier : uint8_t { Auto, Fast, Slow, Heap };

// The tier of each label and of each region of H2 (after Panthera, Chen et al.,
// TOCS '22, section 3: there two parts of the old generation; here a tier is
// where a region's pages are, so no object moves). A region is fast if its label
// is and H2FastSize has room for the whole region, in the order of opening.
//
// With monitoring this is only where a region starts: from then on its accesses tell
// (TierHeat), until its label is placed again. What has no hint is left to the system
// until it turns out to be hot. Then it is fast, if there is room or another one is
// colder, which becomes slow.
//
// The owner guards it by a lock. Only tier_of_region may be called without.
class TierMap : public CHeapObj<mtGC> {
 public:
  // The first three are those to use. The others are what they are compared with.
  enum Policy {
    Hints,
    Monitor,              // by accesses, whatever was hinted
    Both,                 // hints first, then by accesses
    Interleave,           // one region in InterleaveShare is fast, whatever its label
    Lru,                  // the system decides alone
    AllSlow,
    Writes                // as Monitor, by writes alone (Kingsguard-writes, Akram et al., PLDI '18)
  };

  // What is to be done with the pages of a run of regions.
  struct Work {
    uint head;
    uint run_length;
    bool bring;           // into memory; else they are given back
    bool is_second_look;
  };

  // A run whose accesses are to be counted, and then watched again.
  struct Sample {
    uint head;
    uint piece;           // of a large run, that was watched; the next one is to be
    bool is_watched;
    uint serial;
  };

 private:
  // As where a third of the memory is fast, in the paper's evaluation: of all data, not first come, first served.
  static const uint InterleaveShare = 3;
  // Regions that one sweep looks at, and hence the time for which it is locked.
  static const uint SweepRegions = 4096;

  enum State : uint8_t { Done, Bring, GiveBack, Again };

  struct Region {
    jlong         label;
    uint          run_length;       // 0: not the head of a run in use
    volatile Tier tier;
    State         state;
    Tier          hint;             // with monitoring: that it was placed by
  };

  // What is known of a run, with monitoring.
  struct Accesses {
    volatile float heat;
    size_t         taken;           // pages that were accessed in this window, and taken out of the mapping since
    uint           piece;
    uint           serial;          // changes with what its pages were, and at each move of them
    uint           epoch;           // in which it is watched
    uint           windows;         // that were seen since it came to its tier
    bool           is_watched;
  };

  const Policy _policy;
  const size_t _fast_limit;
  const size_t _region_bytes;
  const bool   _pages_stay;
  H2LabelMap<Tier> _labels;
  Region*      _regions;
  Accesses*    _accesses;           // NULL without monitoring
  uint         _end;                // one past the last region that was ever open
  size_t       _fast_bytes;
  uint         _opened;
  uint         _waiting;            // regions of fast labels without room, in this pass or the last
  uint         _cursor;             // of the pass over all regions
  bool         _is_pass_needed;
  bool         _is_next_pass_needed;
  bool         _is_second_look_needed;
  bool         _is_second_look;
  bool         _is_transferring;
  uint         _sample_cursor;      // of the turn over all regions
  uint         _offer_cursor;

  bool ignores_hints() const        { return _policy == Monitor || _policy == Writes; }
  Tier unhinted() const             { return _pages_stay ? Tier::Slow : Tier::Auto; }
  bool take_fast(uint run_length);
  Tier wanted(jlong label) const;
  Tier choose(const Region& r);
  void leave(Region* r);
  void place_region(Region* r);
  void place_by_hint(Region* r);
  void set_tier(Region* r, Tier tier);
  void forget_window(uint head);
  bool is_still(const TierMigration::Candidate& c, bool is_fast) const;
  void move(const TierMigration::Candidate& c, Tier tier);
  void need_pass();

 public:
  // False if there is no such policy.
  static bool parse_policy(const char* name, Policy* result);
  static bool is_monitored(Policy policy) { return policy == Monitor || policy == Both || policy == Writes; }
  static const char* name_of(Tier tier);

  // Pages that stay where they are put (TierPages) are nowhere else to be found than by their tier: regions without a hint
  // are slow.
  TierMap(Policy policy, size_t fast_limit, uint region_count, size_t region_bytes, bool pages_stay = false);
  ~TierMap();

  Policy policy() const             { return _policy; }
  size_t fast_bytes() const         { return _fast_bytes; }

  void place(jlong label, Tier tier);
  Tier tier_of_label(jlong label) const;
  Tier tier_of_region(uint head) const { return _regions[head].tier; }

  // A transfer opens a run of regions, or adds to one.
  void opened(uint head, uint run_length, jlong label);
  void grown(uint head);
  void closed(uint head);
  // A collection leaves regions alone from its transfer to its end: it updates references in what it has written.
  void collection_ended();

  // Whether sweep has something to look at.
  bool is_sweep_needed() const      { return _is_pass_needed && !_is_transferring; }
  // Pages that were being written cannot be given back: some time later, look again.
  bool is_second_look_needed() const { return _is_second_look_needed; }
  void look_again();
  // Gives the next regions their label's tier. Returns the number of pieces of
  // work that follow from it, at most max.
  uint sweep(Work* work, uint max);
  // A part of it could not be done; it is asked for again at the next second look.
  void left_some(const Work& work);
  // What a sweep asked for has been done, or a part of it.
  void performed(const Work& work)  { forget_window(work.head); }

  // With monitoring. A turn comes to each run once; its accesses are those since the last turn.
  bool is_monitored() const         { return _accesses != NULL; }
  void begin_turn()                 { _sample_cursor = 0; }
  bool is_turn_over() const         { return _sample_cursor >= _end; }
  bool is_transferring() const      { return _is_transferring; }
  // The next runs, at most max, of some thousand regions; there may be none among them.
  uint next_samples(Sample* samples, uint max);
  // A sample's piece has so many pages, of which so many were accessed; no pages if that is not known. Epochs are
  // those between which the VM itself reads all of H2.
  void observed(const Sample& sample, size_t accessed, size_t pages, bool is_watched, uint epoch);
  // Accessed pages that are about to leave the mapping, and the piece of the run in which they count.
  bool is_watched(uint head, uint* piece) const;
  void take_pages(uint head, uint piece, size_t pages);
  // -1 if it is not known.
  float heat_of_region(uint head) const;

  // Offers the next of some thousand regions to it; false when it knows all.
  bool offer(TierMigration* migration);
  // Moves what is hotter than what makes room for it, until so many bytes have moved. Adds up what moved.
  void migrate(const TierMigration& migration, size_t max_bytes, size_t* to_fast, size_t* to_slow);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERMAP_HPP
