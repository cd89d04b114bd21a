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
#include "gc/terrace/h2/h2Assigner.hpp"
#include "gc/terrace/h2/h2Forwarding.inline.hpp"
#include "gc/terrace/h2/h2Heap.hpp"
#include "gc/terrace/h2/h2Selector.hpp"
#include "runtime/atomic.hpp"

// Measures blocks, in parallel; all that is left to do one after the other is
// to add up.
class H2MeasureTask : public AbstractGangTask {
  static const size_t StripeBlocks = 1024;
  volatile size_t _claimed;

 public:
  H2MeasureTask() :
    AbstractGangTask("H2 Measure"), _claimed(align_down(H2Forwarding::first_block(), StripeBlocks)) {}

  virtual void work(uint worker_id) {
    const size_t end = H2Forwarding::last_block() + 1;
    size_t stripe;
    while ((stripe = Atomic::fetch_and_add(&_claimed, StripeBlocks)) < end) {
      const size_t stripe_end = MIN2(stripe + StripeBlocks, end);
      for (size_t block = H2Forwarding::next_used(stripe, stripe_end);
           block < stripe_end;
           block = H2Forwarding::next_used(block + 1, stripe_end)) {
        HeapWord* first = NULL;
        size_t words = 0;
        H2Forwarding::objects_in_block_do(block, [&](HeapWord* p, size_t size) {
          first = first == NULL ? p : first;
          words += size;
        });
        H2Forwarding::set_measure(block, first, words);
      }
    }
  }
};

H2Assigner::H2Assigner(const H2Selector& selector) :
  _selector(selector),
  _region(selector.group_count(), selector.group_count(), NULL),
  _chunk(selector.group_count(), selector.group_count(), -1),
  _error(NULL) {}

bool H2Assigner::open(uint group, size_t words) {
  const uint run_length = (uint)((words + H2Heap::region_words() - 1) / H2Heap::region_words());
  H2Region* const r = H2Heap::open(run_length, _selector.label(group), &_error);
  if (r == NULL) {
    return false;
  }
  _opened.append(r);
  _region.at_put((int)group, r);
  _chunk.at_put((int)group, -1);
  return true;
}

void H2Assigner::add_to_chunks(size_t block, uint group, HeapWord* to, size_t words) {
  const int growing = _chunk.at((int)group);
  if (growing >= 0 && _chunks.adr_at(growing)->words + words <= H2Chunk::MaxWords) {
    _chunks.adr_at(growing)->words += words;
    _chunks.adr_at(growing)->last_block = block;
    return;
  }
  for (size_t skip = 0; skip < words; skip += H2Chunk::MaxWords) {
    const H2Chunk chunk = { _region.at((int)group), to + skip, MIN2(words - skip, H2Chunk::MaxWords), skip,
                            group, block, block };
    _chunk.at_put((int)group, _chunks.append(chunk));
  }
  if (words > H2Chunk::MaxWords) {
    _chunk.at_put((int)group, -1);
  }
}

bool H2Assigner::assign(WorkGang* workers) {
  H2MeasureTask measure;
  workers->run_task(&measure);
  const size_t end = H2Forwarding::last_block() + 1;
  for (size_t block = H2Forwarding::next_used(H2Forwarding::first_block(), end);
       block < end;
       block = H2Forwarding::next_used(block + 1, end)) {
    const uint group = H2Forwarding::group_of(block);
    const size_t words = H2Forwarding::measured_words(block);
    H2Region* r = _region.at((int)group);
    if (r == NULL || words > pointer_delta(H2Heap::end_of(r), r->top())) {
      if (!open(group, words)) {
        return false;
      }
      r = _region.at((int)group);
    }
    HeapWord* const to = r->top();
    H2Forwarding::set_destination(H2Forwarding::measured_first(block), to);
    r->set_top(to + words);
    add_to_chunks(block, group, to, words);
  }
  return true;
}

void H2Assigner::undo() {
  for (int i = 0; i < _opened.length(); i++) {
    H2Heap::free(_opened.at(i));
  }
}
