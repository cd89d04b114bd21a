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
#include "classfile/classLoaderData.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"

H2Evacuation H2Evacuation::_of_h2;

H2Evacuation::Plan::Plan(uint region_count) :
  sources(new (ResourceObj::C_HEAP, mtGC) GrowableArray<Source>(64, mtGC)), source_of(NEW_C_HEAP_ARRAY(uint, region_count, mtGC)),
  targets(16, mtGC), worth_count(0) {}

H2Evacuation::Plan::~Plan() {
  for (int i = 0; i < sources->length(); i++) {
    FREE_C_HEAP_ARRAY(uint, sources->at(i).offsets);
    FREE_C_HEAP_ARRAY(uint, sources->at(i).label_words);
  }
  FREE_C_HEAP_ARRAY(uint, source_of);
  delete sources;
}

// One collection fills at most this fraction of H2, because the pause reads and writes it. It
// may always fill one region.
static const uint TargetFraction = 32;

static int by_label_and_words(H2Evacuation::Source* a, H2Evacuation::Source* b) {
  const jlong a_label = a->region->label();
  const jlong b_label = b->region->label();
  return a_label != b_label ? (a_label < b_label ? -1 : 1)
       : a->words != b->words ? (a->words < b->words ? -1 : 1)
       : a->region < b->region ? -1 : 1;
}

void H2Evacuation::select(size_t max_words) {
  assert(_plan == NULL, "the last one has ended");
  const uint max_targets = MIN2(H2Heap::heap().free_count(), MAX2(H2Heap::region_count() / TargetFraction, 1u));
  if (!H2Evacuate || max_targets == 0) {
    return;
  }
  _plan = new Plan(H2Heap::heap().committed_count());
  H2Heap::heap().heads_do([this](H2Region* r) {
    const size_t words = H2MarkingRuns::current().reachable_words(H2Heap::index_of_region(r));
    if (words != 0 && words <= H2Heap::region_words() / 2) {
      const Source source = { r, words, 0, NULL, NULL, NULL };
      _plan->sources->append(source);
    }
  });
  _plan->sources->sort(by_label_and_words);
  pack(max_targets);
  _plan->worth_count = _plan->sources->is_empty() ? 0 : source_regions() - (_plan->sources->last().target + 1);
  cut(max_words);
  open_targets();
  if (_plan->sources->is_empty()) {
    end();
  }
}

uint H2Evacuation::source_regions() const {
  uint count = 0;
  for (int i = 0; i < _plan->sources->length(); i++) {
    count += _plan->sources->at(i).region->run_length();
  }
  return count;
}

// Keeps runs, and sources that share a target with another source of their label. The fewest words come first.
void H2Evacuation::pack(uint max_targets) {
  GrowableArray<Source>* const packed = new (ResourceObj::C_HEAP, mtGC) GrowableArray<Source>(64, mtGC);
  int i = 0;
  uint target = 0;
  while (i < _plan->sources->length() && target < max_targets) {
    const int first = i;
    const jlong label = _plan->sources->at(first).region->label();
    size_t words = 0;
    for (; i < _plan->sources->length(); i++) {
      const Source& source = _plan->sources->at(i);
      if (source.region->label() != label || words + source.words > H2Heap::region_words()) {
        break;
      }
      words += source.words;
    }
    if (i - first > 1 || _plan->sources->at(first).region->run_length() > 1) {
      for (int j = first; j < i; j++) {
        Source source = _plan->sources->at(j);
        source.target = target;
        packed->append(source);
      }
      target++;
    }
  }
  delete _plan->sources;
  _plan->sources = packed;
}

// Keeps the sources of the first targets that can be filled within max_words of work, or
// within twice the work of the first target. Most of this work is usually the search of runs
// that refer to its sources, and a later evacuation would search the same runs again.
void H2Evacuation::cut(size_t max_words) {
  if (_plan->sources->is_empty() || max_words == max_uintx) {
    return;
  }
  const uint target_count = _plan->sources->last().target + 1;
  static const uint None = max_juint;
  GrowableArray<uint> target_of((int)H2Heap::heap().committed_count(), (int)H2Heap::heap().committed_count(), None, mtGC);
  // The additional work for each target.
  GrowableArray<size_t> words((int)target_count, (int)target_count, 0, mtGC);
  for (int i = 0; i < _plan->sources->length(); i++) {
    const Source& source = _plan->sources->at(i);
    target_of.at_put((int)H2Heap::index_of_region(source.region), source.target);
    words.at((int)source.target) += 2 * source.words;       // to copy, and to update the copies
  }
  H2Heap::heap().heads_do([&](H2Region* r) {
    const uint index = H2Heap::index_of_region(r);
    uint first = None;
    if (H2UnionFind) {
      first = 0;
    } else {
      H2Dependencies::of_h2().each_do(index, [&](uint to) { first = MIN2(first, target_of.at((int)to)); });
    }
    if (first < target_of.at((int)index)) {
      words.at((int)first) += H2MarkingRuns::current().reachable_words(index);
    }
  });
  max_words = MAX2(max_words, 2 * words.at(0));
  size_t sum = words.at(0);
  uint kept = 1;
  while (kept < target_count && sum + words.at((int)kept) <= max_words) {
    sum += words.at((int)kept);
    kept++;
  }
  int length = _plan->sources->length();
  while (_plan->sources->at(length - 1).target >= kept) {
    length--;
  }
  if (length < _plan->sources->length()) {
    log_info(gc, h2)("Evacuating %d of %d sparse regions of H2, because the pause has a goal",
                     length, _plan->sources->length());
    _plan->sources->trunc_to(length);
  }
}

// Opens targets for the labels of the sources, in the order of the sources. If there is not
// enough space, the last sources are not evacuated.
void H2Evacuation::open_targets() {
  for (int i = 0; i < _plan->sources->length(); i++) {
    Source* const source = _plan->sources->adr_at(i);
    if (source->target == (uint)_plan->targets.length()) {
      const char* error;
      H2Region* const target = H2Heap::heap().open(1, source->region->label(), &error, H2Heap::ForEvacuation);
      if (target == NULL) {
        log_info(gc, h2)("Evacuating only %d regions: %s", i, error);
        _plan->worth_count = 0;
        _plan->sources->trunc_to(i);
        return;
      }
      _plan->targets.append(target);
    }
    H2Region* const target = _plan->targets.at((int)source->target);
    source->to = target->top();
    target->set_top(target->top() + source->words);
    source->region->class_loaders_do([=](ClassLoaderData* cld) { target->add_class_loader(cld); });
    source->region->set_evacuated(true);
  }
}

class H2EvacuateTask : public AbstractGangTask {
  GrowableArray<H2Evacuation::Source>& _sources;
  volatile int         _claimed;
  const char* volatile _error;

  static const size_t BufferWords = 64 * K;

  // Returns false if there is no memory.
  static bool count_label_words(H2Evacuation::Source* source) {
    source->label_words = NEW_C_HEAP_ARRAY_RETURN_NULL(uint, H2LabelSpans::span_count(source->region), mtGC);
    if (source->label_words == NULL) {
      return false;
    }
    if (!source->region->is_shared()) {
      source->label_words[0] = (uint)source->words;
      return true;
    }
    uint* next = source->label_words;
    H2LabelSpans::spans_do(source->region, [&](jlong label, MemRegion words) {
      *next = 0;
      H2LiveMap::of_h2().marks().marked_do(words, [&](HeapWord* p, size_t size) { *next += (uint)size; });
      next++;
    });
    return true;
  }

  // Copies through a buffer and H2File::write, which returns an error of the device. A store
  // would raise a signal instead. Returns the error or NULL.
  static const char* copy(H2Evacuation::Source* source, HeapWord* buffer) {
    HeapWord* const bottom = H2Heap::bottom_of(source->region);
    source->offsets = NEW_C_HEAP_ARRAY_RETURN_NULL(uint, source->region->run_length() * H2Heap::region_words() /
                                                   H2Evacuation::ChunkWords, mtGC);
    if (source->offsets == NULL) {
      return "no memory for the new addresses";
    }
    HeapWord* to = source->to;              // the destination of the buffer
    HeapWord* object_to = to;
    size_t last_chunk = max_uintx;
    size_t filled = 0;
    const char* error = NULL;
    H2LiveMap::of_h2().marks().marked_do(MemRegion(bottom, source->region->top()), [&](HeapWord* from, size_t size) {
      const size_t chunk = pointer_delta(from, bottom) / H2Evacuation::ChunkWords;
      if (chunk != last_chunk) {
        source->offsets[chunk] = (uint)pointer_delta(object_to, source->to);
        last_chunk = chunk;
      }
      H2StartTable::of_h2().record(object_to, size);
      if (H2Synchronizers::is_one(cast_to_oop(from)->klass())) {
        H2Synchronizers::add(object_to);
      }
      object_to += size;
      while (size > 0) {
        const size_t words = MIN2(size, BufferWords - filled);
        memcpy(buffer + filled, from, words * HeapWordSize);
        filled += words;
        from += words;
        size -= words;
        if (filled == BufferWords) {
          error = error != NULL ? error : H2File::write((char*)to, buffer, filled * HeapWordSize);
          to += filled;
          filled = 0;
        }
      }
    });
    guarantee(object_to == source->to + source->words, "objects of H2 region %u are lost",
              H2Heap::index_of_region(source->region));
    if (!count_label_words(source)) {
      return "no memory for the labels of what moves";
    }
    return error != NULL || filled == 0 ? error : H2File::write((char*)to, buffer, filled * HeapWordSize);
  }

 public:
  H2EvacuateTask(GrowableArray<H2Evacuation::Source>& sources) :
    AbstractGangTask("H2 Evacuate"), _sources(sources), _claimed(0), _error(NULL) {}

  const char* error() const { return _error; }

  virtual void work(uint worker_id) {
    HeapWord* const buffer = NEW_C_HEAP_ARRAY_RETURN_NULL(HeapWord, BufferWords, mtGC);
    if (buffer == NULL) {
      _error = "no memory for a buffer";
      return;
    }
    int i;
    while (_error == NULL && (i = Atomic::fetch_and_add(&_claimed, 1)) < _sources.length()) {
      const char* const error = copy(_sources.adr_at(i), buffer);
      if (error != NULL) {
        _error = error;
      }
    }
    FREE_C_HEAP_ARRAY(HeapWord, buffer);
  }
};

// Updates the slots of one run to the new addresses, and records its new dependencies.
class H2EvacuationUpdateClosure : public BasicOopIterateClosure {
  const uint _head_index;
  const bool _is_target;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    HeapWord* const before = cast_from_oop<HeapWord*>(CompressedOops::decode_not_null(heap_oop));
    if (!H2Range::contains(before)) {
      if (_is_target) {
        H2Cards::set_old(p);
      }
      return;
    }
    HeapWord* const now = H2Evacuation::of_h2().location(before);
    if (now != before) {
      RawAccess<IS_NOT_NULL>::oop_store(p, cast_to_oop(now));
    } else if (!_is_target) {
      return;
    }
    const uint index = H2Heap::head_index_of(now);
    if (index != _head_index) {
      H2Dependencies::of_h2().add(_head_index, index);
    }
  }

 public:
  H2EvacuationUpdateClosure(H2Region* r, bool is_target) :
    _head_index(H2Heap::index_of_region(r)), _is_target(is_target) {}

  virtual ReferenceIterationMode reference_iteration_mode() { return DO_FIELDS; }
  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

class H2EvacuationUpdateTask : public AbstractGangTask {
  const GrowableArray<H2Region*>& _targets;
  GrowableArray<H2Region*>        _referring;       // regions of runs that refer to sources
  int                             _run_count;
  size_t                          _words;           // reachable in these runs
  volatile int                    _claimed;

  static void update(H2EvacuationUpdateClosure* cl, HeapWord* p) {
    if (!cast_to_oop(p)->is_typeArray()) {
      cast_to_oop(p)->oop_iterate(cl);
    }
  }

  static void update_target(H2Region* r) {
    H2EvacuationUpdateClosure cl(r, true);
    for (HeapWord* p = H2Heap::bottom_of(r); p < r->top(); p += cast_to_oop(p)->size()) {
      update(&cl, p);
    }
  }

  // Updates the slots in r. If an array spans several regions, these are its elements in r.
  static void update_referring(H2Region* r) {
    H2Region* const head = H2Heap::head_of_run(r);
    H2EvacuationUpdateClosure cl(head, false);
    const H2Marks& marks = H2LiveMap::of_h2().marks();
    HeapWord* const bottom = H2Heap::bottom_of(r);
    const MemRegion words = MemRegion(bottom, MIN2(bottom + H2Heap::region_words(), head->top()));
    HeapWord* const first = r == head ? bottom : H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(bottom));
    if (first < bottom && marks.is_marked(first)) {
      update_array(&cl, first, words);
    }
    marks.marked_do(words, [&](HeapWord* p, size_t size) {
      if (p + size > words.end()) {
        update_array(&cl, p, words);
      } else {
        update(&cl, p);
      }
    });
  }

  static void update_array(H2EvacuationUpdateClosure* cl, HeapWord* p, MemRegion words) {
    if (cast_to_oop(p)->is_objArray()) {
      const MemRegion part = words.intersection(MemRegion(p, cast_to_oop(p)->size()));
      H2Cards::of_h2().null_slices().words_do(part, false, [=](MemRegion some) { cast_to_oop(p)->oop_iterate(cl, some); });
    }
  }

  // Removes the dependencies of r on sources, because marking keeps alive the runs on which a live run depends.
  static void forget_sources(H2Region* r) {
    const uint from = H2Heap::index_of_region(r);
    GrowableArray<uint> sources(16, mtGC);
    H2Dependencies::of_h2().each_do(from, [&](uint to) {
      if (H2Heap::region(to)->is_evacuated()) {
        sources.append(to);
      }
    });
    for (int i = 0; i < sources.length(); i++) {
      H2Dependencies::of_h2().forget(from, sources.at(i));
    }
  }

  // Whether r may refer to a source. Targets have no dependencies yet, because their slots have
  // not been scanned. With H2UnionFind only groups of runs are known, so any other run may.
  bool refers_to_source(H2Region* r) const {
    if (H2UnionFind) {
      return !_targets.contains(r);
    }
    bool refers = false;
    H2Dependencies::of_h2().each_do(H2Heap::index_of_region(r), [&](uint to) {
      refers = refers || H2Heap::region(to)->is_evacuated();
    });
    return refers;
  }

 public:
  H2EvacuationUpdateTask(const GrowableArray<H2Region*>& targets) :
    AbstractGangTask("H2 Evacuation Update"), _targets(targets), _referring(64, mtGC), _run_count(0), _words(0), _claimed(0) {
    H2Heap::heap().heads_do([&](H2Region* r) {
      if (r->is_evacuated() || !refers_to_source(r)) {
        return;
      }
      for (uint i = 0; i < r->run_length() && H2Heap::bottom_of(r + i) < r->top(); i++) {
        _referring.append(r + i);
      }
      _run_count++;
      _words += H2MarkingRuns::current().reachable_words(H2Heap::index_of_region(r));
      forget_sources(r);
    });
  }

  int run_count() const { return _run_count; }
  size_t words() const  { return _words; }

  virtual void work(uint worker_id) {
    int i;
    while ((i = Atomic::fetch_and_add(&_claimed, 1)) < _targets.length() + _referring.length()) {
      if (i < _targets.length()) {
        update_target(_targets.at(i));
      } else {
        update_referring(_referring.at(i - _targets.length()));
      }
    }
  }
};

void H2Evacuation::give_up() {
  for (int i = 0; i < _plan->targets.length(); i++) {
    H2Heap::heap().free(_plan->targets.at(i));
  }
  _plan->targets.clear();
  for (int i = 0; i < _plan->sources->length(); i++) {
    _plan->sources->at(i).region->set_evacuated(false);
  }
  end();
}

// Records the labels of the reachable objects of shared sources in the targets. Regions that
// small labels share have one reserved label per tier, so they are evacuated into each other.
void H2Evacuation::move_labels() {
  for (int i = 0; i < _plan->sources->length(); i++) {
    const Source& source = _plan->sources->at(i);
    H2Region* const target = _plan->targets.at((int)source.target);
    if (!source.region->is_shared() && !target->is_shared()) {
      continue;
    }
    HeapWord* to = source.to;
    int span = 0;
    H2LabelSpans::spans_do(source.region, [&](jlong label, MemRegion words) {
      const size_t reachable = source.label_words[span++];
      if (reachable != 0) {
        H2LabelSpans::append(target, label, to, reachable);
      }
      to += reachable;
    });
    assert(to == source.to + source.words, "each object has a label");
    H2LabelSpans::release(source.region);
  }
}

bool H2Evacuation::run(WorkGang* workers) {
  const jlong start = os::javaTimeNanos();
  H2EvacuateTask copy(*_plan->sources);
  workers->run_task(&copy);
  if (copy.error() != NULL) {
    log_warning(gc, h2)("Regions of H2 are not evacuated: %s: %s", H2Storage::of_h2().flag(), copy.error());
    give_up();
    return false;
  }
  move_labels();
  // From now on, the sources are only read for the sizes of objects. Their cards turn clean although H2NullSlices may
  // have slices there, because the sources are freed before anything looks for slots in them.
  CardTable* const ct = H1Heap::card_table();
  for (int i = 0; i < _plan->sources->length(); i++) {
    H2Region* const r = _plan->sources->at(i).region;
    memset(ct->byte_for(H2Heap::bottom_of(r)), H2Card::Clean,
           r->run_length() * H2Heap::region_words() / CardTable::card_size_in_words);
    for (uint j = 0; j < r->run_length(); j++) {
      r[j].forget_targets();
    }
    _plan->source_of[H2Heap::index_of_region(r)] = (uint)i;
  }
  const jlong copied = os::javaTimeNanos();
  H2EvacuationUpdateTask update(_plan->targets);
  workers->run_task(&update);
  HeapWord* low = H2Heap::bottom_of(_plan->sources->at(0).region);
  HeapWord* high = low;
  size_t words = 0;
  for (int i = 0; i < _plan->sources->length(); i++) {
    low = MIN2(low, H2Heap::bottom_of(_plan->sources->at(i).region));
    high = MAX2(high, H2Heap::end_of(_plan->sources->at(i).region));
    words += _plan->sources->at(i).words;
  }
  H2Range::set_leaving(low, pointer_delta(high, low) * HeapWordSize);
  H2Statistics::add(H2Statistics::EvacuatedRegions, source_regions());
  H2Statistics::add(H2Statistics::EvacuatedBytes, (jlong)(words * HeapWordSize));
  const jlong end = os::javaTimeNanos();
  _budget.moved(2 * words + update.words(), end - start);
  log_info(gc, h2)("Evacuated %u regions into %d, " SIZE_FORMAT "K of objects; %d others refer to them; copy %.1fms, update %.1fms",
                   source_regions(), _plan->targets.length(), words * HeapWordSize / K, update.run_count(),
                   (copied - start) / 1e6, (end - copied) / 1e6);
  return true;
}

HeapWord* H2Evacuation::location(HeapWord* addr) const {
  const uint index = H2Heap::head_index_of(addr);
  if (!H2Heap::region(index)->is_evacuated()) {
    return addr;
  }
  guarantee(H2LiveMap::of_h2().marks().is_marked(addr), "H2 object " PTR_FORMAT " was not copied", p2i(addr));
  const Source& source = _plan->sources->at((int)_plan->source_of[index]);
  HeapWord* const bottom = H2Heap::bottom_of(source.region);
  const size_t chunk = pointer_delta(addr, bottom) / ChunkWords;
  size_t before = 0;
  H2LiveMap::of_h2().marks().marked_do(MemRegion(bottom + chunk * ChunkWords, addr), [&](HeapWord* p, size_t size) { before += size; });
  return source.to + source.offsets[chunk] + before;
}

uint H2Evacuation::end() {
  if (_plan == NULL) {
    return 0;
  }
  H2Range::clear_leaving();
  delete _plan;
  _plan = NULL;
  return H2Heap::heap().free_evacuated();
}
