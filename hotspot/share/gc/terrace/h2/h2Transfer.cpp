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
#include "classfile/classLoaderData.inline.hpp"
#include "gc/parallel/parallelScavengeHeap.inline.hpp"
#include "gc/parallel/parMarkBitMap.inline.hpp"
#include "gc/parallel/psOldGen.hpp"
#include "gc/parallel/psParallelCompact.inline.hpp"
#include "gc/parallel/psYoungGen.hpp"
#include "gc/shared/gc_globals.hpp"
#include "gc/shared/gcTraceTime.inline.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/h2Cards.hpp"
#include "gc/terrace/h2/h2Eligibility.hpp"
#include "gc/terrace/h2/h2File.hpp"
#include "gc/terrace/h2/h2Forwarding.hpp"
#include "gc/terrace/h2/h2Heap.hpp"
#include "gc/terrace/h2/h2Region.inline.hpp"
#include "gc/terrace/h2/h2StartTable.hpp"
#include "gc/terrace/h2/h2Statistics.hpp"
#include "gc/terrace/h2/h2Tags.hpp"
#include "gc/terrace/h2/h2Transfer.hpp"
#include "gc/terrace/terraceHooks.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/objArrayOop.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/java.hpp"
#include "runtime/os.hpp"
#include "utilities/stack.inline.hpp"

static const size_t BufferWords = 2 * M / HeapWordSize;

void H2Transfer::initialize() {
  if (!H2Forwarding::initialize(ParallelScavengeHeap::heap()->reserved_region())) {
    vm_exit_during_initialization("AllocateH2At: no memory for the forwarding tables of H2 (1/30 of the heap size); "
                                  "choose a smaller -Xmx");
  }
  H2Tags::initialize();
}

// Calls function(object, size in words) for the moving objects that start in a block.
template <typename Function>
static void moving_objects_in_block_do(size_t block, Function function) {
  const ParMarkBitMap* const marks = PSParallelCompact::mark_bitmap();
  HeapWord* p = H2Forwarding::block_start(block);
  HeapWord* const end = p + H2Forwarding::BlockWords;
  while (p < end && (p = marks->find_obj_beg(p, end)) < end) {
    const size_t size = marks->obj_size(p);
    if (H2Forwarding::is_moving(p)) {
      function(p, size);
    }
    p += size;
  }
}

// Selects closures of roots into H2Forwarding. Labels become groups in the
// order in which roots come.
class H2Selector : public BasicOopIterateClosure {
  H2Eligibility&         _eligible;
  Stack<oop, mtGC>       _stack;
  GrowableArray<jlong>   _labels;
  uint                   _group;
  size_t                 _selected_words;
  size_t                 _selected_objects;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (!CompressedOops::is_null(heap_oop)) {
      select(CompressedOops::decode_not_null(heap_oop), false);
    }
  }

  void select(oop obj, bool is_root) {
    if (TerraceHooks::is_in_h2_range(obj) || H2Forwarding::is_moving(obj)) {
      return;
    }
    if (!_eligible.by_klass(obj) || (!is_root && _eligible.is_shared(obj))) {
      return;
    }
    assert(PSParallelCompact::mark_bitmap()->is_marked(obj), "reached from a marked object");
    const size_t size = obj->size();
    if (size > BufferWords && obj->is_instance()) {
      return;   // more than a thousand fields per kilobyte of limits; stays
    }
    H2Forwarding::add(cast_from_oop<HeapWord*>(obj), size, _group);
    _selected_words += size;
    _selected_objects++;
    if (!obj->is_typeArray()) {
      _stack.push(obj);
    }
  }

 public:
  H2Selector(H2Eligibility& eligible) :
    _eligible(eligible), _group(0), _selected_words(0), _selected_objects(0) {}

  size_t selected_words() const   { return _selected_words; }
  size_t selected_objects() const { return _selected_objects; }
  int    group_count() const      { return _labels.length(); }
  jlong  label(int group) const   { return _labels.at(group); }

  // False if there are too many labels for one transfer.
  bool add_root(oop root, jlong label) {
    int group = _labels.find(label);
    if (group < 0) {
      if (_labels.length() == (int)H2Forwarding::MaxGroups) {
        return false;
      }
      group = _labels.append(label);
    }
    _group = (uint)group;
    select(root, true);
    while (!_stack.is_empty()) {
      _stack.pop()->oop_iterate(this);
    }
    return true;
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// A run of regions, and the blocks of H1 it takes objects from: those of its
// group in [first_block, last_block].
struct H2Assignment {
  H2Region* region;
  uint      group;
  size_t    first_block;
  size_t    last_block;
};

class H2Assigner : public StackObj {
  GrowableArray<H2Assignment> _assignments;
  GrowableArray<int>          _current;     // of each group: index above, or -1
  const char*                 _error;

  bool open(size_t block, uint group, jlong label, size_t words) {
    const uint run_length = (uint)((words + H2Heap::region_words() - 1) / H2Heap::region_words());
    H2Region* const r = H2Heap::open(run_length, label, &_error);
    if (r == NULL) {
      return false;
    }
    const H2Assignment a = { r, group, block, block };
    _current.at_put(group, _assignments.append(a));
    return true;
  }

 public:
  H2Assigner(int group_count) : _current(group_count, group_count, -1), _error(NULL) {}

  const char* error() const           { return _error; }
  int length() const                  { return _assignments.length(); }
  const H2Assignment& at(int i) const { return *_assignments.adr_at(i); }

  bool assign(const H2Selector& selector) {
    for (size_t block = H2Forwarding::first_block(); block <= H2Forwarding::last_block(); block++) {
      const uint group = H2Forwarding::group_of(block);
      if (group == H2Forwarding::MaxGroups) {
        continue;
      }
      HeapWord* first = NULL;
      size_t words = 0;
      moving_objects_in_block_do(block, [&](HeapWord* p, size_t size) {
        first = first == NULL ? p : first;
        words += size;
      });
      const int current = _current.at(group);
      if (current < 0 || words > pointer_delta(H2Heap::end_of(at(current).region), at(current).region->top())) {
        if (!open(block, group, selector.label(group), words)) {
          return false;
        }
      }
      H2Assignment* const a = _assignments.adr_at(_current.at(group));
      H2Forwarding::set_destination(first, a->region->top());
      a->region->set_top(a->region->top() + words);
      a->last_block = block;
    }
    return true;
  }

  void undo() {
    for (int i = 0; i < length(); i++) {
      H2Heap::free(at(i).region);
    }
  }
};

// Writes one run: objects are copied into a buffer, references to other
// moving objects replaced by their new addresses, the buffer written out.
class H2Copier : public BasicOopIterateClosure {
  H2Region* const _region;
  const uint      _region_index;
  HeapWord* const _buffer;
  size_t          _filled;          // words in the buffer
  HeapWord*       _to;              // where in H2 the buffer will be
  const char*     _error;
  const Klass*    _last_klass;
  // The words being copied: their place in H1 and in the buffer.
  HeapWord*       _source;
  HeapWord*       _copy;

  void flush() {
    if (_error == NULL) {
      _error = H2File::write((char*)_to, _buffer, _filled * HeapWordSize);
    }
    _to += _filled;
    _filled = 0;
  }

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    T* const slot = (T*)((address)_copy + ((address)p - (address)_source));
    if (!TerraceHooks::is_in_h2_range(target)) {
      if (!H2Forwarding::is_moving(target)) {
        H2Cards::set_old((address)_to + ((address)slot - (address)_buffer));
        return;
      }
      target = cast_to_oop(H2Forwarding::destination(cast_from_oop<HeapWord*>(target)));
      RawAccess<IS_NOT_NULL>::oop_store(slot, target);
    }
    const uint index = H2Heap::head_index_of(target);
    if (index != _region_index) {
      _region->add_dependency(index);
    }
  }

  // Makes room and copies words [from, to) of H1 unchanged.
  void copy_words(HeapWord* from, size_t count) {
    if (_filled + count > BufferWords) {
      flush();
    }
    _source = from;
    _copy = _buffer + _filled;
    memcpy(_copy, from, count * HeapWordSize);
    _filled += count;
  }

 public:
  H2Copier(H2Region* r, HeapWord* buffer) :
    _region(r), _region_index(H2Heap::index_of_region(r)), _buffer(buffer), _filled(0),
    _to(H2Heap::bottom_of(r)), _error(NULL), _last_klass(NULL), _source(NULL), _copy(NULL) {}

  void copy(HeapWord* p, size_t size) {
    oop obj = cast_to_oop(p);
    assert(_to + _filled == H2Forwarding::destination(p), "must agree");
    H2StartTable::record(_to + _filled, size);
    Klass* const k = obj->klass();
    if (k != _last_klass) {
      _last_klass = k;
      _region->add_class_loader(k->class_loader_data());
    }
    // An array larger than the buffer comes in pieces.
    for (size_t done = 0; done < size; done += BufferWords) {
      const size_t count = MIN2(size - done, BufferWords);
      copy_words(p + done, count);
      if (!obj->is_typeArray()) {
        obj->oop_iterate(this, MemRegion(p + done, count));
      }
    }
  }

  const char* finish() {
    flush();
    assert(_to == _region->top(), "must agree");
    return _error;
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

class H2CopyTask : public AbstractGangTask {
  const H2Assigner&    _assigner;
  volatile int         _claimed;
  const char* volatile _error;

 public:
  H2CopyTask(const H2Assigner& assigner) :
    AbstractGangTask("H2 Copy"), _assigner(assigner), _claimed(0), _error(NULL) {}

  const char* error() const { return _error; }

  virtual void work(uint worker_id) {
    HeapWord* const buffer = NEW_C_HEAP_ARRAY_RETURN_NULL(HeapWord, BufferWords, mtGC);
    if (buffer == NULL) {
      _error = "no memory for the buffers of the transfer";
      return;
    }
    int i;
    while (_error == NULL && (i = Atomic::fetch_and_add(&_claimed, 1)) < _assigner.length()) {
      const H2Assignment& a = _assigner.at(i);
      H2Copier copier(a.region, buffer);
      for (size_t block = a.first_block; block <= a.last_block; block++) {
        if (H2Forwarding::group_of(block) == a.group) {
          moving_objects_in_block_do(block, [&](HeapWord* p, size_t size) { copier.copy(p, size); });
        }
      }
      const char* const error = copier.finish();
      if (error != NULL) {
        _error = error;
      }
    }
    FREE_C_HEAP_ARRAY(HeapWord, buffer);
  }
};

// Takes the moved objects out of what the summary phase sees of H1.
static void unmark_moved_objects() {
  ParMarkBitMap* const marks = PSParallelCompact::mark_bitmap();
  ParallelCompactData& summary = PSParallelCompact::summary_data();
  const size_t region_size = ParallelCompactData::RegionSize;
  for (size_t block = H2Forwarding::first_block(); block <= H2Forwarding::last_block(); block++) {
    if (H2Forwarding::group_of(block) == H2Forwarding::MaxGroups) {
      continue;
    }
    moving_objects_in_block_do(block, [&](HeapWord* p, size_t size) {
      const ParMarkBitMap::idx_t first_bit = marks->addr_to_bit(p);
      marks->clear_range(first_bit, first_bit + ParMarkBitMap::words_to_bits(size));
      // The inverse of ParallelCompactData::add_obj.
      const size_t first = summary.addr_to_region_idx(p);
      const size_t last = summary.addr_to_region_idx(p + size - 1);
      const size_t in_first = first == last ? size : region_size - summary.region_offset(p);
      summary.region(first)->set_live_obj_size(summary.region(first)->live_obj_size() - in_first);
      for (size_t i = first + 1; i <= last; i++) {
        summary.region(i)->set_partial_obj_size(0);
        summary.region(i)->set_partial_obj_addr(NULL);
      }
    });
  }
}

static size_t live_words_in_h1() {
  const ParallelCompactData& summary = PSParallelCompact::summary_data();
  size_t words = 0;
  for (size_t i = 0; i < summary.region_count(); i++) {
    words += summary.region(i)->data_size();
  }
  return words;
}

// Chooses about one in H2Torture live objects; the same ones for the same
// seed and history.
static void collect_torture_roots(GrowableArray<H2Tags::Root>* roots) {
  ParallelScavengeHeap* const heap = ParallelScavengeHeap::heap();
  const ParMarkBitMap* const marks = PSParallelCompact::mark_bitmap();
  julong random = (julong)H2TortureSeed * 0x9E3779B97F4A7C15ull + heap->total_full_collections();
  const MutableSpace* const spaces[] = {
    heap->old_gen()->object_space(), heap->young_gen()->eden_space(),
    heap->young_gen()->from_space(), heap->young_gen()->to_space()
  };
  for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
    HeapWord* p = spaces[i]->bottom();
    HeapWord* const top = spaces[i]->top();
    while (p < top && (p = marks->find_obj_beg(p, top)) < top) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      if ((random >> 33) % H2Torture == 0) {
        const H2Tags::Root root = { cast_to_oop(p), (jlong)((random >> 20) % 4), 0, true };
        roots->append(root);
      }
      p += marks->obj_size(p);
    }
  }
}

// Selects as many roots as may move, at most max_roots, and returns how many.
static int select(H2Selector& selector, H2Eligibility& eligible,
                  const GrowableArray<H2Tags::Root>& roots, int max_roots,
                  size_t wanted_words, size_t room_words) {
  int i = 0;
  for (; i < max_roots && selector.selected_words() <= room_words; i++) {
    const H2Tags::Root& root = *roots.adr_at(i);
    if (!root.due && selector.selected_words() >= wanted_words) {
      break;
    }
    if (H2Torture != 0 && eligible.is_shared(root.object)) {
      continue;
    }
    if (!selector.add_root(root.object, root.label)) {
      break;
    }
  }
  return selector.selected_words() <= room_words ? i : -i;
}

void H2Transfer::run() {
  ResourceMark rm;
  GrowableArray<H2Tags::Root> roots;
  H2Tags::collect_roots(&roots);
  if (H2Torture != 0) {
    roots.clear();
    collect_torture_roots(&roots);
  }

  const size_t old_words = ParallelScavengeHeap::heap()->old_gen()->max_gen_size() / HeapWordSize;
  const size_t live_words = live_words_in_h1();
  const bool under_pressure = H2HighThreshold < 100 && live_words > old_words / 100 * H2HighThreshold;
  const size_t low_words = old_words / 100 * H2LowThreshold;
  const size_t wanted_words = under_pressure && live_words > low_words ? live_words - low_words : 0;
  int max_roots = roots.length();
  if (max_roots == 0 || (!roots.at(0).due && wanted_words == 0)) {
    return;
  }

  const jlong start = os::javaTimeNanos();
  const char* error = NULL;
  {
    GCTraceTime(Debug, gc, phases) tm("H2 Transfer");
    H2Eligibility eligible;
    // Tails of regions stay empty.
    const size_t room_words = (size_t)H2Heap::free_count() * (H2Heap::region_words() / 16 * 15);
    while (max_roots > 0) {
      H2Selector selector(eligible);
      jlong selected_at;
      {
        GCTraceTime(Debug, gc, phases) tm("H2 Select");
        const int selected = select(selector, eligible, roots, max_roots, wanted_words, room_words);
        if (selected < 0) {
          // The last root did not fit: once more, without it.
          H2Forwarding::clear();
          max_roots = -selected - 1;
          error = "H2 is full";
          continue;
        }
      }
      selected_at = os::javaTimeNanos();
      if (selector.selected_objects() == 0) {
        break;
      }

      H2Assigner assigner(selector.group_count());
      {
        GCTraceTime(Debug, gc, phases) tm("H2 Assign");
        if (!assigner.assign(selector)) {
          error = assigner.error();
          assigner.undo();
          H2Forwarding::clear();
          max_roots /= 2;
          continue;
        }
      }
      const jlong assigned_at = os::javaTimeNanos();

      H2CopyTask copy(assigner);
      {
        GCTraceTime(Debug, gc, phases) tm("H2 Copy");
        ParallelScavengeHeap::heap()->workers().run_task(&copy);
      }
      const jlong copied_at = os::javaTimeNanos();
      if (copy.error() != NULL) {
        error = copy.error();
        assigner.undo();
        H2Forwarding::clear();
        break;
      }

      {
        GCTraceTime(Debug, gc, phases) tm("H2 Commit");
        unmark_moved_objects();
        H2Forwarding::publish();
      }
      const jlong end = os::javaTimeNanos();
      const size_t bytes = selector.selected_words() * HeapWordSize;
      H2Statistics::add(H2Statistics::Transfers, 1);
      H2Statistics::add(H2Statistics::MovedObjects, (jlong)selector.selected_objects());
      H2Statistics::add(H2Statistics::MovedBytes, (jlong)bytes);
      H2Statistics::add(H2Statistics::TransferNanos, end - start);
      log_info(gc, h2)("Transfer: " SIZE_FORMAT " objects, " SIZE_FORMAT "K to %d runs of regions, "
                       "select %.1fms, assign %.1fms, copy %.1fms, commit %.1fms",
                       selector.selected_objects(), bytes / K, assigner.length(),
                       (selected_at - start) / 1e6, (assigned_at - selected_at) / 1e6,
                       (copied_at - assigned_at) / 1e6, (end - copied_at) / 1e6);
      break;
    }
  }
  // A full H2 fails at every major collection: warn of the first one.
  static bool failed_before = false;
  if (error != NULL) {
    H2Statistics::add(H2Statistics::FailedTransfers, 1);
    if (failed_before) {
      log_info(gc, h2)("H2 transfer abandoned: %s; objects stay in H1", error);
    } else {
      log_warning(gc, h2)("H2 transfer abandoned: %s; objects stay in H1", error);
    }
  }
  failed_before = error != NULL;
}
