/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#ifndef SHARE_GC_TERRACE_TIERS_TIERMIGRATION_HPP
#define SHARE_GC_TERRACE_TIERS_TIERMIGRATION_HPP

#include "utilities/globalDefinitions.hpp"

// The runs of regions that may change their tiers next. They are the hottest runs that are not fast, and the
// coldest fast runs.
class TierMigration {
 public:
  struct Candidate {
    uint  head;
    uint  run_length;
    float heat;
    uint  windows;        // that the heat is the mean of
  };

  // The bound is independent of the number of regions.
  static const uint Most = 64;

 private:
  Candidate _hot[Most];             // hottest first
  Candidate _cold[Most];            // coldest first
  uint      _hot_count;
  uint      _cold_count;

  // Keeps the first elements of the order.
  template <typename Before>
  static void insert(Candidate* all, uint* count, const Candidate& c, Before is_before) {
    uint i = *count;
    if (i == Most) {
      if (!is_before(c, all[Most - 1])) {
        return;
      }
      i--;
    } else {
      (*count)++;
    }
    for (; i > 0 && is_before(c, all[i - 1]); i--) {
      all[i] = all[i - 1];
    }
    all[i] = c;
  }

 public:
  TierMigration() : _hot_count(0), _cold_count(0) {}

  void offer_hot(const Candidate& c) {
    insert(_hot, &_hot_count, c, [](const Candidate& a, const Candidate& b) { return a.heat > b.heat; });
  }
  void offer_cold(const Candidate& c) {
    insert(_cold, &_cold_count, c, [](const Candidate& a, const Candidate& b) { return a.heat < b.heat; });
  }

  uint hot_count() const            { return _hot_count; }
  uint cold_count() const           { return _cold_count; }
  const Candidate& hot(uint i) const  { return _hot[i]; }
  const Candidate& cold(uint i) const { return _cold[i]; }
};

#endif // SHARE_GC_TERRACE_TIERS_TIERMIGRATION_HPP
