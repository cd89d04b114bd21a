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

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/tiers/tier.hpp"
#include "gc/terrace/tiers/tierHistogram.hpp"
#include "gc/terrace/tiers/tierMigration.hpp"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// The tier of each label and of each region of H2 (after Panthera, Chen et al., TOCS '22, section 3). In Panthera
// the tiers are two parts of the old generation. Here a tier is the place of a region's pages, so no object moves.
// A region is fast if its label is fast and H2FastSize has space for the whole region. Space is granted in the
// order in which regions are opened.
//
// With monitoring, the label only determines the initial tier. From then on the accesses to a region decide
// (TierHeat), until its label is placed again. The system manages regions without a hint until they become hot. A
// hot region becomes fast if there is space, or if a colder region can become slow instead.
//
// The owner protects the map by a lock. Only tier_of_region may be called without it.
class TierMap : public CHeapObj<mtGC> {
 public:
  // Programs should use the first three policies. The others exist for comparison.
  enum Policy {
    Hints,
    Monitor,              // by accesses, without hints
    Both,                 // hints first, then by accesses
    Interleave,           // one region in InterleaveShare is fast, independent of its label
    Lru,                  // the system decides alone
    AllSlow,
    Writes                // like Monitor, but by writes only (Kingsguard-writes, Akram et al., PLDI '18)
  };

  // A request to move the pages of a run of regions.
  struct Work {
    uint head;
    uint run_length;
    bool bring;           // to the fast tier, otherwise to the slow tier
    bool is_second_look;
  };

  // A run whose accesses are to be counted in a window.
  struct Sample {
    uint head;
    uint piece;           // number of the watched piece of the run
    uint serial;
    bool is_hot;          // one of the hottest runs that fit into fast memory, as far as known
  };

 private:
  // One third of the memory is fast, as in the paper's evaluation. The share applies to all data, not only to the
  // first regions.
  static const uint InterleaveShare = 3;
  // The number of regions per sweep, which bounds the time that the lock is held.
  static const uint SweepRegions = 4096;

  enum State : uint8_t { Done, Bring, GiveBack, Again };

  struct Region {
    jlong         label;
    uint          run_length;       // 0 if not the head of a run in use
    volatile Tier tier;
    State         state;
    Tier          hint;             // with monitoring, the hint that determined its place
  };

  // The accesses to a run, with monitoring.
  struct Accesses {
    volatile float heat;
    size_t         taken;           // pages that were accessed in this window and have left the mapping since
    uint           piece;
    uint           serial;          // changes whenever the pages are replaced or moved
    uint           windows;         // windows that the heat is the mean of
    uint           stayed;          // windows sampled since the run changed its tier, at most LeastWindows
    bool           is_watched;
  };

  const Policy _policy;
  const size_t _fast_limit;
  const size_t _region_bytes;
  const bool   _pages_stay;
  H2LabelMap<Tier> _labels;
  Region*      _regions;
  Accesses*    _accesses;           // NULL without monitoring
  uint         _end;                // end of the regions that were ever open
  size_t       _fast_bytes;
  uint         _opened;
  uint         _waiting;            // regions of fast labels without space, in this pass or the last one
  uint         _cursor;             // of the pass over all regions
  bool         _is_pass_needed;
  bool         _is_next_pass_needed;
  bool         _is_second_look_needed;
  bool         _is_second_look;
  bool         _has_left_out;
  bool         _is_transferring;
  uint         _sample_cursor;      // of the turn over all regions
  uint         _offer_cursor;
  float        _weight;             // of a window of this turn
  float        _threshold;          // heat of the coldest run that belongs to the hottest ones that fit
  TierHistogram _histogram;         // heats of the runs sampled in this turn

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
  void begin_heat(uint head, Tier hint);
  bool is_still(const TierMigration::Candidate& c, bool is_fast) const;
  void move(const TierMigration::Candidate& c, Tier tier);
  void need_pass();

 public:
  // Returns false if there is no such policy.
  static bool parse_policy(const char* name, Policy* result);
  static bool is_monitored(Policy policy) { return policy == Monitor || policy == Both || policy == Writes; }
  static const char* name_of(Tier tier);

  // pages_stay says that pages stay where they were moved (TierPages). The tier is then the only way to find them,
  // so regions without a hint are slow.
  TierMap(Policy policy, size_t fast_limit, uint region_count, size_t region_bytes, bool pages_stay = false);
  ~TierMap();

  Policy policy() const             { return _policy; }
  size_t fast_bytes() const         { return _fast_bytes; }

  void place(jlong label, Tier tier);
  Tier tier_of_label(jlong label) const;
  Tier tier_of_region(uint head) const { return _regions[head].tier; }

  // Called when a transfer opens a run of regions, or adds to one.
  void opened(uint head, uint run_length, jlong label);
  void grown(uint head);
  void closed(uint head);
  // From its transfer to its end, a collection updates references in the regions, so no pages are moved meanwhile.
  void collection_ended();

  // Whether a sweep has work.
  bool is_sweep_needed() const      { return _is_pass_needed && !_is_transferring; }
  // Pages that are being written back cannot be paged out. A second look some time later tries again.
  bool is_second_look_needed() const { return _is_second_look_needed; }
  void look_again();
  // Gives the next regions the tier of their label. Returns the number of requests that result, at most max. If slow pages
  // need not leave memory yet, their regions are left out.
  uint sweep(Work* work, uint max, bool slow_leaves = true);
  bool has_left_out() const         { return _has_left_out; }
  void sweep_left_out();
  // Called if a part of the request could not be performed. The next second look requests it again.
  void left_some(const Work& work);
  // Called when a request has been performed, at least in part.
  void performed(const Work& work)  { forget_window(work.head); }

  // With monitoring, a turn visits each run once, and counts its accesses in one window. A window changes the mean
  // by this weight.
  bool is_monitored() const         { return _accesses != NULL; }
  void begin_turn(float weight);
  bool is_turn_over() const         { return _sample_cursor >= _end; }
  bool is_transferring() const      { return _is_transferring; }
  // Returns up to max of the next runs. It searches some thousand regions, so it may find none.
  uint next_samples(Sample* samples, uint max);
  // Called when the window of the sample begins.
  void watched(const Sample& sample);
  // Called at the end of the window with the numbers of accessed pages and of pages of the sample's piece. pages is 0 if
  // accesses are unknown. expected is the intended length of the window as a part of its real length.
  void observed(const Sample& sample, size_t accessed, size_t pages, float expected = 1);
  // For accessed pages that are about to leave the mapping. piece is the part of the run in which they count.
  bool is_watched(uint head, uint* piece) const;
  void take_pages(uint head, uint piece, size_t pages);
  // Returns -1 if unknown.
  float heat_of_region(uint head) const;

  // Offers the next few thousand regions as candidates. Returns false when all regions have been offered.
  bool offer(TierMigration* migration);
  // Moves hot runs to fast space, and colder runs out of it, until max_bytes have moved. Adds the moved bytes to
  // the results.
  void migrate(const TierMigration& migration, size_t max_bytes, size_t* to_fast, size_t* to_slow);
};

#endif // SHARE_GC_TERRACE_TIERS_TIERMAP_HPP
