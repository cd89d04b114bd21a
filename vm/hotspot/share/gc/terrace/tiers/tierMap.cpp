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
#include "gc/terrace/tiers/tierMap.hpp"
#include "utilities/debug.hpp"

bool TierMap::parse_policy(const char* name, Policy* result) {
  static const struct {
    const char* name;
    Policy      policy;
  } policies[] = { { "hints", Hints }, { "interleave", Interleave }, { "lru", Lru }, { "slow", AllSlow } };
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

TierMap::TierMap(Policy policy, size_t fast_limit, uint region_count, size_t region_bytes) :
  _policy(policy), _fast_limit(fast_limit), _region_bytes(region_bytes), _regions(NULL), _end(0), _fast_bytes(0),
  _opened(0), _waiting(0), _cursor(0), _is_pass_needed(false), _is_next_pass_needed(false),
  _is_second_look_needed(false), _is_second_look(false), _is_transferring(false) {
  _regions = NEW_C_HEAP_ARRAY(Region, region_count, mtGC);
  memset((void*)_regions, 0, region_count * sizeof(Region));
}

TierMap::~TierMap() {
  FREE_C_HEAP_ARRAY(Region, _regions);
}

// A pass that is under way may have seen the regions before the change.
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
  if (_policy == Hints) {
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
  return tier == Tier::Heap ? Tier::Auto : tier;  // it had moved before
}

// Takes room for it if it is fast.
Tier TierMap::choose(const Region& r) {
  switch (_policy) {
    case Lru:
      return Tier::Auto;
    case AllSlow:
      return Tier::Slow;
    case Interleave:
      return _opened++ % 2 == 0 && take_fast(r.run_length) ? Tier::Fast : Tier::Slow;
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
  r->tier = choose(*r);
  _end = MAX2(_end, head + run_length);
  grown(head);
}

// What was written is in memory.
void TierMap::grown(uint head) {
  Region* const r = &_regions[head];
  _is_transferring = true;
  if (r->tier == Tier::Slow) {
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
  memset((void*)&_regions[head], 0, sizeof(Region));
}

void TierMap::transfer_ended() {
  _is_transferring = false;
}

void TierMap::look_again() {
  _is_second_look = true;
  _is_second_look_needed = false;
  need_pass();
}

// With hints, a label's tier may have changed, or room for it.
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
  leave(r);
  r->tier = tier;
  r->state = tier == Tier::Fast ? Bring : tier == Tier::Slow ? GiveBack : Done;
}

uint TierMap::sweep(Work* work, uint max) {
  assert(is_sweep_needed(), "nothing to look at");
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
    }
    if (r->state == Bring || r->state == GiveBack || (r->state == GiveBackAgain && _is_second_look)) {
      const Work w = { _cursor, r->run_length, r->state == Bring, r->state == GiveBackAgain };
      work[count++] = w;
      _is_second_look_needed |= r->state == GiveBack;
      r->state = r->state == GiveBack ? GiveBackAgain : Done;
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
