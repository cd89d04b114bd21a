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

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/resourceHash.hpp"

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
// The owner guards it by a lock. Only tier_of_region may be called without.
class TierMap : public CHeapObj<mtGC> {
 public:
  // Hints is the one to use. The others are those that it is compared with.
  enum Policy {
    Hints,
    Interleave,           // every second region is fast, whatever its label
    Lru,                  // the system decides alone
    AllSlow
  };

  // What is to be done with the pages of a run of regions.
  struct Work {
    uint head;
    uint run_length;
    bool bring;           // into memory; else they are given back
    bool is_second_look;
  };

 private:
  // Regions that one sweep looks at, and hence the time for which it is locked.
  static const uint SweepRegions = 4096;

  enum State : uint8_t { Done, Bring, GiveBack, GiveBackAgain };

  struct Region {
    jlong         label;
    uint          run_length;       // 0: not the head of a run in use
    volatile Tier tier;
    State         state;
  };

  typedef ResourceHashtable<jlong, Tier, primitive_hash<jlong>, primitive_equals<jlong>, 16411,
                            ResourceObj::C_HEAP, mtGC> Labels;

  const Policy _policy;
  const size_t _fast_limit;
  const size_t _region_bytes;
  Labels       _labels;
  Region*      _regions;
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

  bool take_fast(uint run_length);
  Tier wanted(jlong label) const;
  Tier choose(const Region& r);
  void leave(Region* r);
  void place_region(Region* r);
  void need_pass();

 public:
  // False if there is no such policy.
  static bool parse_policy(const char* name, Policy* result);
  static const char* name_of(Tier tier);

  TierMap(Policy policy, size_t fast_limit, uint region_count, size_t region_bytes);
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
  // What it opened is filled. Until then its regions are left alone.
  void transfer_ended();

  // Whether sweep has something to look at.
  bool is_sweep_needed() const      { return _is_pass_needed && !_is_transferring; }
  // Pages that were being written cannot be given back: some time later, look again.
  bool is_second_look_needed() const { return _is_second_look_needed; }
  void look_again();
  // Gives the next regions their label's tier. Returns the number of pieces of
  // work that follow from it, at most max.
  uint sweep(Work* work, uint max);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERMAP_HPP
