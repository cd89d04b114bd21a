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
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/paging/h2Clusters.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.hpp"
#include "gc/terrace/h2/transfer/h2Assigner.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/h2/transfer/selection/h2Selector.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/atomic.hpp"

// Measures the pieces of all blocks in parallel. Only the addition of these sizes is
// left to the sequential part.
class H2MeasureTask : public AbstractGangTask {
  static const size_t StripeBlocks = 1024;
  volatile size_t _claimed;

 public:
  H2MeasureTask() :
    AbstractGangTask("H2 Measure"), _claimed(align_down(H2Forwarding::of_h2().first_block(), StripeBlocks)) {}

  virtual void work(uint worker_id) {
    const size_t end = H2Forwarding::of_h2().last_block() + 1;
    size_t stripe;
    while ((stripe = Atomic::fetch_and_add(&_claimed, StripeBlocks)) < end) {
      const size_t stripe_end = MIN2(stripe + StripeBlocks, end);
      for (size_t block = H2Forwarding::of_h2().next_used(stripe, stripe_end);
           block < stripe_end;
           block = H2Forwarding::of_h2().next_used(block + 1, stripe_end)) {
        H2Forwarding::of_h2().pieces_do(block, [](size_t piece) { H2Forwarding::of_h2().measure(piece); });
      }
    }
  }
};

// A label with more than this has regions of its own.
static size_t small_words() {
  return H2Heap::region_words() / 4;
}

// While fewer regions than this are less than a quarter full, labels of different transfers do not share regions.
static uint max_sparse() {
  return MIN2(H2Heap::region_count() / 4, 32u);
}

H2Assigner::H2Assigner(const H2Selector& selector) :
  _selector(selector), _labels(selector.label_count(), selector.label_count(), Label()),
  _sparse_count(0), _has_few_labels(false), _sharing_labels(0), _sharing_words(0), _opened_shared(0), _is_full(false), _assigned_words(0), _error(NULL) {
  memset(_open, 0, sizeof(_open));
}

static size_t room_in(const H2Region* r) {
  return pointer_delta(H2Heap::end_of(r), r->top());
}

// Whether larger labels may share the free space of r. Runs of several regions are not shared.
static bool may_share(H2Region* r) {
  return r->run_length() == 1 && !r->is_evacuated() && !H2Clusters::of(r).goes_on() && room_in(r) >= H2Heap::region_words() / 32;
}

size_t H2Assigner::room_words() {
  size_t words = (size_t)H2Heap::heap().open_count() * H2Heap::region_words();
  H2Heap::heap().heads_do([&](H2Region* r) { words += may_share(r) ? room_in(r) : 0; });
  return words / 16 * 15;
}

// One pass over the regions serves all labels, because there may be many of both.
void H2Assigner::find_regions_with_room() {
  _has_few_labels = (uint)_selector.label_count() <= MAX2(max_sparse() / 4, 1u);
  H2LabelMap<uint> index_of_label;
  for (int i = 0; i < _selector.label_count(); i++) {
    index_of_label.put(_selector.label(i), (uint)i);
  }
  H2Heap::heap().heads_do([&](H2Region* r) {
    const bool has_room = r->run_length() == 1 && !H2Clusters::of(r).is_linked() && !r->is_evacuated() && !r->is_pretenured();
    const size_t used = pointer_delta(r->top(), H2Heap::bottom_of(r));
    _sparse_count += r->run_length() == 1 && !r->is_evacuated() && used < small_words() ? 1 : 0;
    const uint* const index = index_of_label.get(r->label());
    H2Region** best = NULL;
    if (H2LabelSpans::is_label(r->label())) {
      best = &_open[H2LabelSpans::index_of_label(r->label())].region;
    } else if (index != NULL) {
      Label* const label = _labels.adr_at((int)*index);
      label->own_words += r->is_shared() ? 0 : used;
      best = &label->with_room;
    }
    if (has_room && best != NULL && (*best == NULL || room_in(r) > room_in(*best))) {
      *best = r;
    }
  });
}

// Returns a region of the label with enough free space, or NULL.
H2Region* H2Assigner::resume(uint label, size_t words) {
  H2Region* const r = _labels.at((int)label).with_room;
  return r == NULL || room_in(r) < words ? NULL : go_on_in(r);
}

// Whether the label stays small with this many additional words. Objects that move without a hint have
// regions of their own.
bool H2Assigner::is_small(uint label, size_t words) const {
  const jlong number = _selector.label(label);
  return !H2Labels::is_unhinted(number) &&
         words + _labels.at((int)label).own_words + H2LabelSpans::words_of(number) <= small_words();
}

// Returns the region for all moving objects of a small label. NULL: the label must open a region of its
// own, or no region has enough space.
H2Region* H2Assigner::share_as_small(uint label, size_t words) {
  const jlong number = _selector.label(label);
  const Tier tier = TierPlacer::is_enabled() ? TierPlacer::tier_at_safepoint(number) : Tier::Auto;
  const jlong reserved = H2LabelSpans::label_of(tier);
  // The region that already contains objects of the label.
  H2Region* const before = H2LabelSpans::last_region_of(number);
  if (before != NULL && before->label() == reserved && !before->is_evacuated() && room_in(before) >= words) {
    return go_on_in(before);
  }
  if (_has_few_labels && _sparse_count < max_sparse()) {
    _sparse_count++;
    return NULL;
  }
  Open* const now = &_open[H2LabelSpans::index_of_label(reserved)];
  const bool has_room = now->region != NULL && room_in(now->region) >= words;
  if (!has_room || (!now->has_begun && _sparse_count < max_sparse())) {
    H2Region* const r = _is_full ? NULL : open(reserved, words);
    if (r != NULL) {
      now->region = r;
      now->has_begun = true;
      _sparse_count++;
      _opened_shared++;
      return r;
    }
  }
  if (!has_room) {
    return NULL;
  }
  now->has_begun = true;
  return go_on_in(now->region);
}

static int by_room(H2Region** a, H2Region** b) {
  return room_in(*a) < room_in(*b) ? -1 : room_in(*a) > room_in(*b);
}

void H2Assigner::find_shared() {
  H2Heap::heap().heads_do([&](H2Region* r) {
    if (may_share(r)) {
      _shared.append(r);
    }
  });
  _shared.sort(by_room);
  log_debug(gc, h2)("No free region remains: %d have free space at their ends", _shared.length());
}

// Returns NULL if no region has enough free space.
H2Region* H2Assigner::share(size_t words) {
  while (_shared.is_nonempty() && room_in(_shared.last()) < H2Heap::region_words() / 32) {
    _shared.pop();
  }
  for (int i = _shared.length() - 1; i >= 0; i--) {
    H2Region* const r = _shared.at(i);
    if (room_in(r) >= words) {
      return go_on_in(r);
    }
  }
  return NULL;
}

H2Region* H2Assigner::go_on_in(H2Region* r) {
  if (_resumed.is_nonempty() && _resumed.last().region == r) {
    return r;
  }
  const Resumed resumed = { r, r->top(), r->class_loader_count() };
  _resumed.append(resumed);
  // References from outside H2 lead to the next structure, as for a newly opened region.
  r->set_held(true);
  if (TierPlacer::is_enabled()) {
    TierPlacer::grown(r);
  }
  return r;
}

H2Region* H2Assigner::open(jlong label, size_t words) {
  const uint run_length = (uint)((words + H2Heap::region_words() - 1) / H2Heap::region_words());
  H2Region* const r = H2Heap::heap().open(run_length, label, &_error);
  if (r != NULL) {
    _opened.append(r);
  } else if (H2Heap::heap().open_count() == 0) {
    _is_full = true;
    find_shared();
  }
  return r;
}

void H2Assigner::add_to_chunks(H2Region* r, size_t piece, HeapWord* to, size_t words) {
  H2Chunk* const last = _chunks.is_empty() ? NULL : _chunks.adr_at(_chunks.length() - 1);
  if (last != NULL && last->skip == 0 && last->to + last->words == to && last->region == r &&
      last->words + words <= H2Chunk::MaxWords) {
    last->words += words;
    last->last = piece;
    return;
  }
  for (size_t skip = 0; skip < words; skip += H2Chunk::MaxWords) {
    const H2Chunk chunk = { r, to + skip, MIN2(words - skip, H2Chunk::MaxWords), skip, piece, piece };
    _chunks.append(chunk);
  }
}

void H2Assigner::sort_pieces() {
  const uint group_count = _selector.group_count();
  GrowableArray<uint> next(_selector.label_count() + 1, _selector.label_count() + 1, 0);
  for (uint g = 0; g < group_count; g++) {
    next.at((int)_selector.label_of(g) + 1)++;
  }
  for (int i = 0; i < _selector.label_count(); i++) {
    next.at(i + 1) += next.at(i);
  }
  uint* const position = NEW_RESOURCE_ARRAY(uint, group_count);
  for (uint g = 0; g < group_count; g++) {
    position[g] = next.at((int)_selector.label_of(g))++;
  }
  H2Forwarding::of_h2().sort(position, group_count);
}

// Returns the words of the label's pieces from first on. Stops counting when they exceed a region.
size_t H2Assigner::words_of_label(uint label, size_t first) const {
  const H2Forwarding& forwarding = H2Forwarding::of_h2();
  size_t words = 0;
  for (size_t piece = first; piece != H2Forwarding::NoPiece && words <= H2Heap::region_words(); piece = forwarding.next_piece(piece)) {
    if (_selector.label_of(forwarding.group_of(piece)) != label) {
      break;
    }
    words += forwarding.measured_words(piece);
  }
  return words;
}

// Returns the region in which a label with so many words begins, or NULL if a region must be opened for it.
H2Region* H2Assigner::begin(uint label, size_t words) {
  H2Region* r = resume(label, words);
  if (r == NULL && is_small(label, words)) {
    r = share_as_small(label, words);
    _sharing_labels += r != NULL ? 1 : 0;
    _sharing_words += r != NULL ? words : 0;
  }
  return r;
}

// Returns the region in which a label continues after region before has no more space, or NULL if there is none.
H2Region* H2Assigner::go_on(uint label, H2Region* before, size_t words, bool is_same_group) {
  H2Region* r = _is_full ? NULL : open(_selector.label(label), words);
  if (r != NULL) {
    if (is_same_group) {
      H2Clusters::link(before, r);
    }
    return r;
  }
  r = share(words);
  if (r != NULL) {
    H2Clusters::begin(r);
  }
  return r;
}

// Assigns the piece to addresses at the top of r.
void H2Assigner::place(H2Region* r, uint label, size_t piece) {
  const size_t words = H2Forwarding::of_h2().measured_words(piece);
  const jlong number = _selector.label(label);
  HeapWord* const to = r->top();
  H2Forwarding::of_h2().set_destination(piece, to);
  if (r->is_shared() || r->label() != number) {
    H2LabelSpans::append(r, number, to, words);
  }
  r->set_top(to + words);
  _assigned_words += words;
  add_to_chunks(r, piece, to, words);
}

// Assigns addresses to the pieces of this label, which begin with *next, and advances *next.
// Returns false if there is no space.
bool H2Assigner::assign_label(uint label, size_t* next) {
  const H2Forwarding& forwarding = H2Forwarding::of_h2();
  H2Region* r = begin(label, words_of_label(label, *next));
  uint group = H2Forwarding::MaxGroups;
  for (; *next != H2Forwarding::NoPiece; *next = forwarding.next_piece(*next)) {
    const uint group_before = group;
    group = forwarding.group_of(*next);
    if (_selector.label_of(group) != label) {
      break;
    }
    const size_t words = forwarding.measured_words(*next);
    if (r == NULL || words > room_in(r)) {
      r = go_on(label, r, words, group == group_before);
      if (r == NULL) {
        return false;
      }
    } else if (group != group_before) {
      H2Clusters::begin(r);
    }
    place(r, label, *next);
  }
  return true;
}

bool H2Assigner::assign(WorkGang* workers) {
  H2MeasureTask measure;
  workers->run_task(&measure);
  sort_pieces();
  log_debug(gc, h2)("Blocks with several labels: " SIZE_FORMAT " additional pieces", H2Forwarding::of_h2().mixed_count());
  find_regions_with_room();
  size_t next = H2Forwarding::of_h2().first_piece();
  while (next != H2Forwarding::NoPiece) {
    if (!assign_label(_selector.label_of(H2Forwarding::of_h2().group_of(next)), &next)) {
      return false;
    }
  }
  return true;
}

void H2Assigner::undo() {
  // In reverse order, because a region may have been resumed twice.
  for (int i = _resumed.length() - 1; i >= 0; i--) {
    H2Region* const r = _resumed.at(i).region;
    H2LabelSpans::cut(r, _resumed.at(i).top);
    r->set_top(_resumed.at(i).top);
    r->truncate_class_loaders(_resumed.at(i).class_loaders);
    H2Clusters::cut(r);
    // The copy phase may have recorded dependencies of the objects that it copied into r.
    for (int j = 0; j < _opened.length(); j++) {
      H2Dependencies::of_h2().forget(H2Heap::index_of_region(r), H2Heap::index_of_region(_opened.at(j)));
    }
  }
  for (int i = 0; i < _opened.length(); i++) {
    H2Heap::heap().free(_opened.at(i));
  }
}
