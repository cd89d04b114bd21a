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
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/report/h2Usage.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/safepoint.hpp"

template <typename T>
static int compare(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

H2Usage::Label& H2Usage::label_of(jlong label) {
  const int index = *_index_of.put_if_absent(label, _labels.length());
  if (index == _labels.length()) {
    const Label none = { label, 0, 0, 0, 0, 0, H2Waits::is_active() ? H2Waits::nanos_of(label) : -1, 0,
                         TierPlacer::is_enabled() ? TierPlacer::tier_of(label) : Tier::Auto, 0, 0 };
    _labels.append(none);
  }
  return *_labels.adr_at(index);
}

H2Usage::H2Usage() : _regions(0), _shared_regions(0) {
  H2Heap::heap().heads_do([&](H2Region* r) { add(r); });
  sort();
}

void H2Usage::add(const H2Region* r) {
  const MemRegion used(H2Heap::bottom_of(r), r->top());
  const Run run = { used, _spans.length(), H2LabelSpans::span_count(r) };
  _runs.append(run);
  _regions += r->run_length();
  _shared_regions += r->is_shared() ? 1 : 0;
  // All known garbage is below the top that the region had at the marking through H2.
  const MemRegion marked(used.start(), MAX2(r->marked_top(), used.start()));
  H2LabelSpans::spans_do(r, [&](jlong label, MemRegion words) {
    const double garbage = (double)r->garbage_words() * HeapWordSize;
    const double share = !r->is_shared() ? 1 : marked.is_empty() ? 0
                       : (double)words.intersection(marked).word_size() / (double)marked.word_size();
    add_span(r, label, words.byte_size(), (size_t)(garbage * share));
  });
}

void H2Usage::add_span(const H2Region* r, jlong label, size_t bytes, size_t garbage_bytes) {
  const Span span = { label, bytes };
  _spans.append(span);
  Label& l = label_of(label);
  if (l.last_region != H2Heap::index_of_region(r) + 1) {
    l.last_region = H2Heap::index_of_region(r) + 1;
    l.regions += r->run_length();
    l.held_regions += r->is_held() ? r->run_length() : 0;
  }
  l.used_bytes += bytes;
  l.garbage_bytes += garbage_bytes;
  l.fast_bytes += TierPlacer::is_enabled() && TierPlacer::tier_of(r) == Tier::Fast ? bytes : 0;
  l.hot_bytes += TierPlacer::is_monitored() ? TierPlacer::heat_of(r) * (double)bytes : 0;
}

static int by_label(H2Usage::Label* a, H2Usage::Label* b) {
  return compare(a->label, b->label);
}

void H2Usage::sort() {
  _labels.sort(by_label);
  for (int i = 0; i < _labels.length(); i++) {
    _index_of.put(_labels.at(i).label, i);
  }
}

static int by_labels(H2Usage::Holder* a, H2Usage::Holder* b) {
  return a->held != b->held ? compare(a->held, b->held) : compare(a->holder, b->holder);
}

static int by_pairs(H2Usage::Holder* a, H2Usage::Holder* b) {
  return a->held != b->held ? compare(a->held, b->held) : compare(b->pairs, a->pairs);
}

// Merges entries for the same two labels into one.
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
  H2Heap::heap().heads_do([&](H2Region* r) {
    of_run.clear();
    H2Dependencies::of_h2().each_do(H2Heap::index_of_region(r), [&](uint head) {
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

// The resident bytes of a shared region are divided among its labels in proportion.
void H2Usage::find_resident() {
  for (int i = 0; i < _runs.length(); i++) {
    const Run& run = *_runs.adr_at(i);
    const size_t resident = H2File::resident((char*)run.used.start(), run.used.byte_size());
    for (int j = run.first_span; j < run.first_span + run.span_count; j++) {
      const Span& span = *_spans.adr_at(j);
      label_of(span.label).resident_bytes += run.span_count == 1 ? resident
        : (size_t)((double)resident * (double)span.bytes / (double)run.used.byte_size());
    }
  }
}
