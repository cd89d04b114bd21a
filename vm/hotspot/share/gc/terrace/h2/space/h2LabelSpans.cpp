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
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/space/h2RegionListener.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"

H2LabelMap<H2LabelSpans::InShared>* H2LabelSpans::_in_shared = NULL;

// Forgets the labels of a region that is freed.
class H2LabelSpansListener : public H2RegionListener {
 public:
  virtual void opened(H2Region* head) {}
  virtual void closed(H2Region* head) { H2LabelSpans::release(head); }
};

void H2LabelSpans::initialize() {
  H2Heap::heap().add_listener(new H2LabelSpansListener());
  _in_shared = new H2LabelMap<InShared>();
  if (TierPlacer::is_enabled()) {
    TierPlacer::place(label_of(Tier::Fast), Tier::Fast);
    TierPlacer::place(label_of(Tier::Slow), Tier::Slow);
  }
}

jlong H2LabelSpans::label_of(Tier tier) {
  return FirstLabel + (tier == Tier::Fast ? 1 : tier == Tier::Slow ? 2 : 0);
}

size_t H2LabelSpans::words_of(jlong label) {
  const InShared* const in_shared = _in_shared->get(label);
  return in_shared == NULL ? 0 : in_shared->words;
}

H2Region* H2LabelSpans::last_region_of(jlong label) {
  const InShared* const in_shared = _in_shared->get(label);
  if (in_shared == NULL) {
    return NULL;
  }
  H2Region* const r = H2Heap::region(in_shared->last_region);
  return r->is_head() && r->is_shared() ? r : NULL;
}

void H2LabelSpans::add(jlong label, size_t words, const H2Region* r) {
  const InShared none = { 0, 0 };
  InShared* const in_shared = _in_shared->put_if_absent(label, none);
  in_shared->words += words;
  in_shared->last_region = H2Heap::index_of_region(r);
}

void H2LabelSpans::subtract(jlong label, size_t words) {
  InShared* const in_shared = _in_shared->get(label);
  assert(in_shared != NULL && in_shared->words >= words, "words of a label in shared regions");
  in_shared->words -= words;
  if (in_shared->words == 0) {
    _in_shared->remove(label);
  }
}

MemRegion H2LabelSpans::span_at(const H2Region* r, int i) const {
  HeapWord* const bottom = H2Heap::bottom_of(r);
  return MemRegion(bottom + _spans.at(i).begin, i + 1 == _spans.length() ? r->top() : bottom + _spans.at(i + 1).begin);
}

int H2LabelSpans::span_count(const H2Region* r) {
  return r->is_shared() ? r->label_spans()->_spans.length() : 1;
}

int H2LabelSpans::index_of(const H2Region* r, const void* p) const {
  const size_t offset = pointer_delta((HeapWord*)align_down(p, HeapWordSize), H2Heap::bottom_of(r));
  int low = 0;
  int high = _spans.length();
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (_spans.at(middle).begin <= offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void H2LabelSpans::append(H2Region* r, jlong label, const void* begin, size_t words) {
  HeapWord* const bottom = H2Heap::bottom_of(r);
  const size_t offset = pointer_delta((HeapWord*)begin, bottom);
  H2LabelSpans* spans = r->label_spans();
  if (spans == NULL) {
    spans = new H2LabelSpans();
    r->set_label_spans(spans);
    if (offset > 0) {
      const Span own = { r->label(), 0 };
      spans->_spans.append(own);
      add(own.label, offset, r);
    }
  }
  assert(spans->_spans.is_empty() || spans->_spans.last().begin <= offset, "spans ascend");
  if (spans->_spans.is_empty() || spans->_spans.last().label != label) {
    const Span span = { label, (uint)offset };
    spans->_spans.append(span);
  }
  add(label, words, r);
}

// Removes spans at or above the offset, and the part above it of a span that contains it.
void H2LabelSpans::cut_spans(const H2Region* r, size_t offset) {
  size_t end = pointer_delta(r->top(), H2Heap::bottom_of(r));
  while (_spans.is_nonempty() && offset < end) {
    const Span last = _spans.last();
    const size_t begin = MAX2((size_t)last.begin, offset);
    subtract(last.label, end - begin);
    end = begin;
    if (last.begin >= offset) {
      _spans.pop();
    }
  }
}

void H2LabelSpans::cut(H2Region* r, const void* top) {
  H2LabelSpans* const spans = r->label_spans();
  if (spans == NULL) {
    return;
  }
  const size_t end = pointer_delta((HeapWord*)top, H2Heap::bottom_of(r));
  spans->cut_spans(r, end);
  const bool has_one = spans->_spans.length() == 1 && spans->_spans.first().label == r->label();
  if (has_one) {
    subtract(r->label(), end);
  }
  if (has_one || spans->_spans.is_empty()) {
    r->set_label_spans(NULL);
    delete spans;
  }
}

void H2LabelSpans::release(H2Region* r) {
  cut(r, H2Heap::bottom_of(r));
}

void H2LabelSpans::verify(const char* when) {
  H2LabelMap<size_t> found;
  H2Heap::heap().heads_do([&](H2Region* r) {
    if (!r->is_shared()) {
      return;
    }
    HeapWord* end = H2Heap::bottom_of(r);
    spans_do(r, [&](jlong label, MemRegion words) {
      guarantee(words.start() == end && !words.is_empty() && words.end() <= r->top(),
                "%s: H2 region %u: span of label " JLONG_FORMAT, when, H2Heap::index_of_region(r), label);
      end = words.end();
      *found.put_if_absent(label, 0) += words.word_size();
    });
    guarantee(end == r->top(), "%s: H2 region %u: objects without a label", when, H2Heap::index_of_region(r));
  });
  guarantee(found.count() == _in_shared->count(), "%s: labels in shared regions", when);
  found.each_do([&](jlong label, size_t words) {
    guarantee(words == words_of(label), "%s: label " JLONG_FORMAT " has " SIZE_FORMAT " words in shared regions, and not "
              SIZE_FORMAT, when, label, words, words_of(label));
  });
}
