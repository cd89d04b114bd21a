/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */
#include "precompiled.hpp"
#include "gc/terrace/tiers/tierHeat.hpp"
#include "gc/terrace/tiers/tierMap.hpp"
#include "utilities/debug.hpp"

bool TierMap::parse_policy(const char* name, Policy* result) {
  static const struct {
    const char* name;
    Policy      policy;
  } policies[] = { { "hints", Hints }, { "monitor", Monitor }, { "both", Both }, { "interleave", Interleave }, { "lru", Lru },
                   { "slow", AllSlow }, { "writes", Writes } };
  for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
    if (strcmp(name, policies[i].name) == 0) {
      *result = policies[i].policy;
      return true;
    }
  }
  return false;
}

const char* TierMap::name_of(Tier tier) {
  switch (tier) {
    case Tier::Fast: return "fast";
    case Tier::Slow: return "slow";
    case Tier::Heap: return "heap";
    default:         return "auto";
  }
}

TierMap::TierMap(Policy policy, size_t fast_limit, uint region_count, size_t region_bytes, bool pages_stay) :
  _policy(policy), _fast_limit(fast_limit), _region_bytes(region_bytes), _pages_stay(pages_stay), _regions(NULL), _accesses(NULL), _end(0), _fast_bytes(0),
  _opened(0), _waiting(0), _cursor(0), _is_pass_needed(false), _is_next_pass_needed(false),
  _is_second_look_needed(false), _is_second_look(false), _has_left_out(false), _is_transferring(false), _sample_cursor(0), _offer_cursor(0),
  _weight(TierHeat::MostWeight), _threshold(0) {
  _regions = NEW_C_HEAP_ARRAY(Region, region_count, mtGC);
  memset((void*)_regions, 0, region_count * sizeof(Region));
  if (is_monitored(policy)) {
    _accesses = NEW_C_HEAP_ARRAY(Accesses, region_count, mtGC);
    memset((void*)_accesses, 0, region_count * sizeof(Accesses));
  }
}

TierMap::~TierMap() {
  FREE_C_HEAP_ARRAY(Region, _regions);
  FREE_C_HEAP_ARRAY(Accesses, _accesses);
}

// A pass in progress may have visited the regions before the change.
void TierMap::need_pass() {
  if (_is_pass_needed && _cursor > 0) {
    _is_next_pass_needed = true;
  }
  _is_pass_needed = true;
}

void TierMap::place(jlong label, Tier tier) {
  if (tier_of_label(label) == tier) {
    return;
  }
  if (tier == Tier::Auto) {
    _labels.remove(label);
  } else {
    _labels.put(label, tier);
  }
  if (_policy == Hints || _policy == Both) {
    need_pass();
  }
}

Tier TierMap::tier_of_label(jlong label) const {
  const Tier* const tier = _labels.get(label);
  return tier == NULL ? Tier::Auto : *tier;
}

bool TierMap::take_fast(uint run_length) {
  const size_t bytes = run_length * _region_bytes;
  if (bytes > _fast_limit - _fast_bytes) {
    return false;
  }
  _fast_bytes += bytes;
  return true;
}

Tier TierMap::wanted(jlong label) const {
  const Tier tier = tier_of_label(label);
  // Objects of a Heap label may be in H2 if they moved before the label was placed.
  return tier == Tier::Heap || tier == Tier::Auto ? unhinted() : tier;
}

// Reserves fast space for the run if the result is Fast.
Tier TierMap::choose(const Region& r) {
  switch (_policy) {
    case Lru:
      return Tier::Auto;
    case AllSlow:
      return Tier::Slow;
    case Monitor:
    case Writes:
      return unhinted();
    case Both:
      return r.hint != Tier::Fast || take_fast(r.run_length) ? r.hint : unhinted();
    case Interleave:
      return _opened++ % InterleaveShare == 0 && take_fast(r.run_length) ? Tier::Fast : Tier::Slow;
    default: {
      const Tier tier = wanted(r.label);
      if (tier != Tier::Fast || take_fast(r.run_length)) {
        return tier;
      }
      _waiting++;
      return Tier::Slow;
    }
  }
}

void TierMap::opened(uint head, uint run_length, jlong label) {
  Region* const r = &_regions[head];
  r->label = label;
  r->run_length = run_length;
  r->hint = ignores_hints() ? unhinted() : wanted(label);
  r->tier = choose(*r);
  if (_accesses != NULL) {
    begin_heat(head, r->hint);
    _accesses[head].piece = 0;
  }
  _end = MAX2(_end, head + run_length);
  if (_pages_stay && r->tier != Tier::Auto) {
    // The pages may be in either tier, from an earlier use of the region.
    r->state = r->tier == Tier::Fast ? Bring : GiveBack;
    need_pass();
  }
  grown(head);
}

// The written pages are in memory.
void TierMap::grown(uint head) {
  Region* const r = &_regions[head];
  _is_transferring = true;
  forget_window(head);
  if (r->tier == Tier::Slow && !_pages_stay) {
    r->state = GiveBack;
    need_pass();
  }
}

void TierMap::leave(Region* r) {
  if (r->tier == Tier::Fast) {
    _fast_bytes -= r->run_length * _region_bytes;
    if (_waiting > 0) {
      need_pass();
    }
  }
}

void TierMap::closed(uint head) {
  leave(&_regions[head]);
  forget_window(head);
  memset((void*)&_regions[head], 0, sizeof(Region));
}

void TierMap::collection_ended() {
  _is_transferring = false;
}

void TierMap::look_again() {
  _is_second_look = true;
  _is_second_look_needed = false;
  need_pass();
}

// With policy Hints. The label may have a new tier, or space may be available for it now.
void TierMap::place_region(Region* r) {
  const Tier tier = wanted(r->label);
  if (tier == r->tier) {
    return;
  }
  if (tier == Tier::Fast && !take_fast(r->run_length)) {
    _waiting++;
    if (r->tier == Tier::Auto) {
      r->tier = Tier::Slow;
      r->state = GiveBack;
    }
    return;
  }
  set_tier(r, tier);
}

// The caller has reserved the space if the tier is Fast.
void TierMap::set_tier(Region* r, Tier tier) {
  leave(r);
  r->tier = tier;
  r->state = tier == Tier::Fast ? Bring : tier == Tier::Slow ? GiveBack : Done;
}

// With policy Both, only a new hint changes the tier here.
void TierMap::place_by_hint(Region* r) {
  const Tier hint = wanted(r->label);
  if (hint == r->hint) {
    return;
  }
  r->hint = hint;
  begin_heat((uint)(r - _regions), hint);
  if (hint == r->tier) {
    return;
  }
  set_tier(r, hint != Tier::Fast || take_fast(r->run_length) ? hint : unhinted());
}

void TierMap::sweep_left_out() {
  _has_left_out = false;
  need_pass();
}

uint TierMap::sweep(Work* work, uint max, bool slow_leaves) {
  assert(is_sweep_needed(), "nothing to do");
  if (_cursor == 0) {
    _waiting = 0;
  }
  uint count = 0;
  for (uint left = SweepRegions; left > 0 && _cursor < _end && count < max; left--) {
    Region* const r = &_regions[_cursor];
    if (r->run_length == 0) {
      _cursor++;
      continue;
    }
    if (_policy == Hints) {
      place_region(r);
    } else if (_policy == Both) {
      place_by_hint(r);
    }
    const bool is_due = r->state == Bring || r->state == GiveBack || (r->state == Again && _is_second_look);
    if (is_due && r->tier != Tier::Fast && !slow_leaves) {
      r->state = GiveBack;
      _has_left_out = true;
    } else if (is_due) {
      const Work w = { _cursor, r->run_length, r->tier == Tier::Fast, r->state == Again };
      work[count++] = w;
      r->state = r->state == GiveBack && !_pages_stay ? Again : Done;
      _is_second_look_needed |= r->state == Again;
    }
    _cursor += r->run_length;
  }
  if (_cursor >= _end) {
    _cursor = 0;
    _is_pass_needed = _is_next_pass_needed;
    _is_next_pass_needed = false;
    _is_second_look = false;
  }
  return count;
}

// Ignored if the run was replaced, or has other pending moves.
void TierMap::left_some(const Work& work) {
  Region* const r = &_regions[work.head];
  if (r->run_length == work.run_length && r->state == Done && r->tier == (work.bring ? Tier::Fast : Tier::Slow)) {
    r->state = Again;
    _is_second_look_needed = true;
  }
}

// After its pages were written or moved, accesses are unknown until the run is watched again.
void TierMap::forget_window(uint head) {
  if (_accesses != NULL) {
    Accesses* const a = &_accesses[head];
    a->is_watched = false;
    a->taken = 0;
    a->serial++;
  }
}

// A hint is the heat of some windows that were not sampled, so it fades.
void TierMap::begin_heat(uint head, Tier hint) {
  Accesses* const a = &_accesses[head];
  a->heat = TierHeat::of_hint(hint);
  a->windows = hint == unhinted() ? 0 : TierHeat::HintWindows;
  a->stayed = 0;
}

void TierMap::begin_turn(float weight) {
  _weight = weight;
  _threshold = _histogram.threshold(_fast_limit);
  _histogram.clear();
  _sample_cursor = 0;
}

uint TierMap::next_samples(Sample* samples, uint max) {
  assert(!is_turn_over(), "nothing to do");
  uint count = 0;
  for (uint left = SweepRegions; left > 0 && _sample_cursor < _end && count < max; left--) {
    const Region& r = _regions[_sample_cursor];
    if (r.run_length == 0) {
      _sample_cursor++;
      continue;
    }
    const Accesses& a = _accesses[_sample_cursor];
    const Sample s = { _sample_cursor, a.piece, a.serial, a.heat >= _threshold };
    samples[count++] = s;
    _sample_cursor += r.run_length;
  }
  return count;
}

void TierMap::watched(const Sample& sample) {
  Accesses* const a = &_accesses[sample.head];
  if (a->serial == sample.serial) {
    a->is_watched = true;
    a->taken = 0;
  }
}

void TierMap::observed(const Sample& sample, size_t accessed, size_t pages, float expected) {
  Accesses* const a = &_accesses[sample.head];
  if (a->serial != sample.serial) {
    return;                             // its pages were replaced or moved
  }
  if (a->is_watched && pages > 0) {
    const float part = (float)MIN2(accessed + a->taken, pages) / pages * MIN2(expected, 1.0f);
    a->windows = TierHeat::windows_after(a->windows, _weight);
    a->heat = TierHeat::after(a->heat, part, a->windows, _weight);
    a->stayed = MIN2(a->stayed + 1, TierHeat::LeastWindows + 0);
  }
  _histogram.add(a->heat, _regions[sample.head].run_length * _region_bytes);
  a->taken = 0;
  a->piece = sample.piece + 1;
  a->is_watched = false;
}

bool TierMap::is_watched(uint head, uint* piece) const {
  *piece = _accesses[head].piece;
  return _accesses[head].is_watched;
}

void TierMap::take_pages(uint head, uint piece, size_t pages) {
  Accesses* const a = &_accesses[head];
  if (a->is_watched && a->piece == piece) {
    a->taken += pages;
  }
}

float TierMap::heat_of_region(uint head) const {
  return _accesses == NULL ? -1.0f : _accesses[head].heat;
}

bool TierMap::offer(TierMigration* migration) {
  for (uint left = SweepRegions; left > 0 && _offer_cursor < _end; left--) {
    const Region& r = _regions[_offer_cursor];
    if (r.run_length == 0) {
      _offer_cursor++;
      continue;
    }
    const Accesses& a = _accesses[_offer_cursor];
    const TierMigration::Candidate c = { _offer_cursor, r.run_length, a.heat, a.windows };
    if (a.stayed >= TierHeat::LeastWindows) {
      if (r.tier == Tier::Fast) {
        migration->offer_cold(c);
      } else if (TierHeat::takes_free_room(c.heat, c.windows)) {
        migration->offer_hot(c);
      }
    }
    _offer_cursor += r.run_length;
  }
  const bool is_over = _offer_cursor >= _end;
  if (is_over) {
    _offer_cursor = 0;
  }
  return !is_over;
}

// Whether the run still exists and has this tier. It may have died since it was offered.
bool TierMap::is_still(const TierMigration::Candidate& c, bool is_fast) const {
  const Region& r = _regions[c.head];
  return r.run_length == c.run_length && (r.tier == Tier::Fast) == is_fast;
}

void TierMap::move(const TierMigration::Candidate& c, Tier tier) {
  set_tier(&_regions[c.head], tier);
  _accesses[c.head].stayed = 0;
  need_pass();
}

static bool takes_room(const TierMigration::Candidate& hot, const TierMigration::Candidate& cold) {
  return TierHeat::takes_room(hot.heat, hot.windows, cold.heat, cold.windows);
}

void TierMap::migrate(const TierMigration& migration, size_t max_bytes, size_t* to_fast, size_t* to_slow) {
  uint next = 0;                        // next run that may be displaced
  const size_t before = *to_fast + *to_slow;
  for (uint i = 0; i < migration.hot_count() && *to_fast + *to_slow - before < max_bytes; i++) {
    const TierMigration::Candidate& hot = migration.hot(i);
    if (!is_still(hot, false)) {
      continue;
    }
    const size_t needed = hot.run_length * _region_bytes;
    size_t room = _fast_limit - _fast_bytes;
    uint end = next;
    for (; room < needed && end < migration.cold_count() && takes_room(hot, migration.cold(end)); end++) {
      room += is_still(migration.cold(end), true) ? migration.cold(end).run_length * _region_bytes : 0;
    }
    if (room < needed) {
      continue;                         // the next candidate may need less
    }
    for (; next < end; next++) {
      if (is_still(migration.cold(next), true)) {
        move(migration.cold(next), Tier::Slow);
        *to_slow += migration.cold(next).run_length * _region_bytes;
      }
    }
    take_fast(hot.run_length);
    move(hot, Tier::Fast);
    *to_fast += needed;
  }
}
