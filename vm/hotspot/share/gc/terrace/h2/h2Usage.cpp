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
#include "gc/terrace/h2/h2Dependencies.hpp"
#include "gc/terrace/h2/h2File.hpp"
#include "gc/terrace/h2/h2Heap.hpp"
#include "gc/terrace/h2/h2Usage.hpp"
#include "gc/terrace/h2/h2Waits.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/safepoint.hpp"

template <typename T>
static int compare(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

static int by_label(jlong const& key, H2Usage::Label const& element) {
  return compare(key, element.label);
}

H2Usage::Label& H2Usage::label_of(jlong label) {
  bool found;
  const int at = _labels.find_sorted<jlong, by_label>(label, found);
  if (!found) {
    const Label none = { label, 0, 0, 0, 0, 0, H2Waits::is_active() ? H2Waits::nanos_of(label) : -1, 0,
                         TierPlacer::is_enabled() ? TierPlacer::tier_of(label) : Tier::Auto, 0 };
    _labels.insert_before(at, none);
  }
  return *_labels.adr_at(at);
}

H2Usage::H2Usage() {
  H2Heap::heads_do([&](H2Region* r) {
    Label& l = label_of(r->label());
    const MemRegion used(H2Heap::bottom_of(r), r->top());
    l.regions += r->run_length();
    l.held_regions += r->is_held() ? r->run_length() : 0;
    l.used_bytes += used.byte_size();
    l.garbage_bytes += r->garbage_words() * HeapWordSize;
    l.fast_bytes += TierPlacer::is_enabled() && TierPlacer::tier_of(r) == Tier::Fast ? used.byte_size() : 0;
    l.hot_bytes += TierPlacer::is_monitored() ? TierPlacer::heat_of(r) * (double)used.byte_size() : 0;
    const Run run = { used, r->label() };
    _runs.append(run);
  });
}

static int by_labels(H2Usage::Holder* a, H2Usage::Holder* b) {
  return a->held != b->held ? compare(a->held, b->held) : compare(a->holder, b->holder);
}

static int by_pairs(H2Usage::Holder* a, H2Usage::Holder* b) {
  return a->held != b->held ? compare(a->held, b->held) : compare(b->pairs, a->pairs);
}

// Leaves one entry for each two labels from that index on.
static void sum_up(GrowableArray<H2Usage::Holder>* holders) {
  holders->sort(by_labels);
  int last = -1;
  for (int i = 0; i < holders->length(); i++) {
    const H2Usage::Holder h = holders->at(i);
    if (last >= 0 && by_labels(holders->adr_at(last), holders->adr_at(i)) == 0) {
      holders->adr_at(last)->pairs += h.pairs;
    } else {
      holders->at_put(++last, h);
    }
  }
  holders->trunc_to(last + 1);
}

void H2Usage::find_holders(GrowableArray<Holder>* holders) {
  GrowableArray<Holder> of_run;
  H2Heap::heads_do([&](H2Region* r) {
    of_run.clear();
    H2Dependencies::each_do(H2Heap::index_of_region(r), [&](uint head) {
      const H2Region* const held = H2Heap::region(head);
      if (held->is_head() && held->label() != r->label()) {
        const Holder h = { held->label(), r->label(), 1 };
        of_run.append(h);
      }
    });
    sum_up(&of_run);
    holders->appendAll(&of_run);
  });
  sum_up(holders);
  holders->sort(by_pairs);
}

void H2Usage::find_resident(JavaThread* thread) {
  // Memory that a collection frees meanwhile stays mapped.
  ThreadToNativeFromVM outside(thread);
  find_resident();
}

void H2Usage::find_resident() {
  for (int i = 0; i < _runs.length(); i++) {
    const MemRegion used = _runs.adr_at(i)->used;
    label_of(_runs.adr_at(i)->label).resident_bytes += H2File::resident((char*)used.start(), used.byte_size());
  }
}
