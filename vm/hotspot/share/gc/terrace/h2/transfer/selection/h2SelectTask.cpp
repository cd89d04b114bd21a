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
#include "gc/terrace/h2/transfer/selection/h2SelectClosure.inline.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectTask.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/atomic.hpp"

class H2SelectTask::Queues : public GenericTaskQueueSet<H2SelectClosure::Queue, mtGC> {
 public:
  Queues(uint count) : GenericTaskQueueSet(count) {}
};

H2SelectTask::Queues* H2SelectTask::_queues = NULL;

void H2SelectTask::initialize(uint max_workers) {
  _queues = new Queues(max_workers);
  for (uint i = 0; i < max_workers; i++) {
    H2SelectClosure::Queue* const queue = new H2SelectClosure::Queue();
    queue->initialize();
    _queues->register_queue(i, queue);
  }
}

H2SelectTask::H2SelectTask(H2Selection& selection, uint worker_count, bool may_leave_out, HeapWord* unhinted_end) :
  AbstractGangTask("H2 Select"), _worker_count(worker_count), _terminator(worker_count, _queues),
  _may_leave_out(may_leave_out), _unhinted_end(unhinted_end), _counts("Select", "references", worker_count),
  _selection(selection) {}

void H2SelectTask::work(uint worker_id) {
  ResourceMark rm;
  H2SelectClosure cl(_selection, _queues->queue(worker_id), _worker_count == 1, _may_leave_out);
  cl.select_below(_unhinted_end);
  select(cl);
  H2SelectClosure::Item item;
  do {
    while (_queues->steal(worker_id, item)) {
      cl.scan(item);
      cl.drain();
    }
  } while (!_terminator.offer_termination());
  _counts.add(worker_id, cl.references());
}

void H2SelectTask::run(WorkGang* workers) {
  workers->run_task(this, _worker_count);
  _counts.log();
}

// Returns the next root to move, or -1.
int H2SelectRootsTask::claim() {
  while (!_selection.is_overfull()) {
    const int i = Atomic::fetch_and_add(&_claimed, 1);
    if (i >= _end) {
      break;
    }
    const H2Tags::Root& root = *_roots.adr_at(i);
    if (_selection.leaves_rest() && _selection.is_at_limit()) {
      _selection.leave_roots(root.due);
      if (root.due || root.postponed == 0) {
        break;
      }
      continue;   // a later one may be due
    }
    if (!root.due && (_selection.leaves_due() || _selection.words() >= _selection.wanted_words())) {
      continue;   // postponed roots that are due come later
    }
    // H2Torture may choose objects to which the VM refers. These stay, but tagged objects always move.
    if (root.tag != NULL || !_selection.is_shared(root.object, root.object->klass())) {
      return i;
    }
  }
  return -1;
}

void H2SelectRootsTask::select(H2SelectClosure& cl) {
  int i;
  while ((i = claim()) >= 0) {
    cl.add_root(_roots.adr_at(i)->object, _groups.of_root(i));
  }
}
