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
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Eligibility.hpp"
#include "gc/terrace/h2/liveness/h2Evacuation.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/h2Synchronizers.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/transfer/h2Assigner.hpp"
#include "gc/terrace/h2/transfer/h2Copier.hpp"
#include "gc/terrace/h2/transfer/h2Forwarding.inline.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/mutex.hpp"
#include "runtime/mutexLocker.hpp"

// Copies one chunk through a buffer.
class H2ChunkClosure : public BasicOopIterateClosure {
  // The number of blocks that are copied before their references are forwarded, so that they are
  // still in the cache of the processor.
  static const size_t BlocksAtOnce = 32;

  const H2Chunk&   _chunk;
  const uint       _region_index;
  const MemRegion  _region;
  HeapWord* const  _buffer;
  size_t           _filled;             // words in the buffer
  const ClassLoaderData* _last_class_loader;
  H2ClassLoaders&  _class_loaders;
  ptrdiff_t        _to_buffer;          // offset from the words that are copied now

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    T* const slot = (T*)((address)p + _to_buffer);
    if (!H2Range::contains(target)) {
      if (!H2Forwarding::of_h2().is_moving(target)) {
        H2Owners::of_h2().found_target(target);
        H2Cards::set_old((address)_chunk.to + ((address)slot - (address)_buffer));
        return;
      }
      target = cast_to_oop(H2Forwarding::of_h2().destination(cast_from_oop<HeapWord*>(target)));
      RawAccess<IS_NOT_NULL>::oop_store(slot, target);
    } else if (H2Range::may_leave(cast_from_oop<void*>(target))) {
      target = cast_to_oop(H2Evacuation::of_h2().location(cast_from_oop<HeapWord*>(target)));
      RawAccess<IS_NOT_NULL>::oop_store(slot, target);
    }
    if (!_region.contains(cast_from_oop<HeapWord*>(target))) {
      H2Dependencies::of_h2().add(_region_index, H2Heap::head_index_of(target));
    }
  }

  void keep_class_loader(const Klass* k) {
    ClassLoaderData* const cld = k->class_loader_data();
    if (cld != _last_class_loader) {
      _last_class_loader = cld;
      if (!cld->is_permanent_class_loader_data()) {
        _class_loaders.add(cld);
      }
    }
  }

  // Returns the words that were copied.
  MemRegion copy(HeapWord* from, size_t words) {
    HeapWord* const copy = _buffer + _filled;
    memcpy(copy, from, words * HeapWordSize);
    _filled += words;
    _to_buffer = (address)copy - (address)from;
    return MemRegion(from, words);
  }

  void forward(oop obj, Klass* k, size_t size, MemRegion copied) {
    if (!H2EligibleKlasses::has_references(k)) {
      return;
    }
    const MemRegion all(cast_from_oop<HeapWord*>(obj), size);
    if (copied.contains(all)) {
      obj->oop_iterate(this);
    } else {
      obj->oop_iterate(this, copied.intersection(all));
    }
  }

  // Copies the part of adjacent objects that belongs to the chunk.
  void copy_objects(HeapWord* from, HeapWord* to) {
    HeapWord* place = _chunk.to + _filled;
    const MemRegion copied = copy(from, MIN2(pointer_delta(to, from), _chunk.words - _filled));
    size_t size;
    for (HeapWord* p = from; p < copied.end(); p += size, place += size) {
      oop obj = cast_to_oop(p);
      Klass* const k = obj->klass();
      size = obj->size_given_klass(k);
      assert(place == H2Forwarding::of_h2().destination(p), "must agree");
      H2StartTable::of_h2().record(place, size);
      keep_class_loader(k);
      if (H2Synchronizers::is_one(k)) {
        H2Synchronizers::add(place);
      }
      forward(obj, k, size, copied);
    }
  }

  // Copies a further part of the last object of a piece.
  void copy_rest(size_t piece) {
    const H2Forwarding& forwarding = H2Forwarding::of_h2();
    HeapWord* const p = forwarding.last_object(forwarding.block_of_piece(piece));
    const size_t before = forwarding.words_before(piece, p);
    const MemRegion copied = copy(p + (_chunk.skip - before), _chunk.words);
    oop obj = cast_to_oop(p);
    forward(obj, obj->klass(), obj->size(), copied);
  }

  // Copies the piece, together with those of adjacent blocks that follow it. Returns the last one copied.
  size_t copy_pieces(size_t piece) {
    const H2Forwarding& forwarding = H2Forwarding::of_h2();
    auto copy = [&](HeapWord* from, HeapWord* to) { copy_objects(from, to); };
    if (!forwarding.is_whole(piece)) {
      forwarding.runs_of_piece_do(piece, copy);
      return piece;
    }
    size_t last = piece;
    while (last != _chunk.last && last - piece < BlocksAtOnce - 1 && forwarding.next_piece(last) == last + 1 && forwarding.is_whole(last + 1)) {
      last++;
    }
    forwarding.runs_do(forwarding.begin_of_objects(piece), forwarding.end_of_objects(last), copy);
    return last;
  }

  void copy_all() {
    size_t last = copy_pieces(_chunk.first);
    while (last != _chunk.last) {
      last = copy_pieces(H2Forwarding::of_h2().next_piece(last));
    }
  }

 public:
  H2ChunkClosure(const H2Chunk& chunk, HeapWord* buffer, H2ClassLoaders& class_loaders) :
    _chunk(chunk), _region_index(H2Heap::index_of_region(chunk.region)),
    _region(H2Heap::bottom_of(chunk.region), H2Heap::end_of(chunk.region)), _buffer(buffer), _filled(0),
    _last_class_loader(NULL), _class_loaders(class_loaders), _to_buffer(0) {}

  // Returns NULL, or an error message.
  const char* run() {
    if (_chunk.skip == 0) {
      copy_all();
    } else {
      copy_rest(_chunk.first);
    }
    assert(_filled == _chunk.words, "must agree");
    return H2File::write((char*)_chunk.to, _buffer, _filled * HeapWordSize);
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

class H2CopyTask : public AbstractGangTask {
  const H2Assigner&    _assigner;
  volatile int         _claimed;
  const char* volatile _error;
  Mutex                _lock;           // protects the class loaders of regions
  H2WorkerCounts       _counts;

 public:
  H2CopyTask(const H2Assigner& assigner, uint worker_count) :
    AbstractGangTask("H2 Copy"), _assigner(assigner), _claimed(0), _error(NULL),
    _lock(Mutex::leaf, "H2Copy_lock", true, Mutex::_safepoint_check_never),
    _counts("Copy", "words", worker_count) {}

  const char* error() const             { return _error; }
  const H2WorkerCounts& counts() const  { return _counts; }

  virtual void work(uint worker_id) {
    ResourceMark rm;
    HeapWord* const buffer = NEW_C_HEAP_ARRAY_RETURN_NULL(HeapWord, H2Chunk::MaxWords, mtGC);
    if (buffer == NULL) {
      _error = "no memory for the buffers of the transfer";
      return;
    }
    H2ClassLoaders class_loaders;
    size_t words = 0;
    int i;
    while (_error == NULL && (i = Atomic::fetch_and_add(&_claimed, 1)) < _assigner.chunk_count()) {
      const H2Chunk& chunk = _assigner.chunk(i);
      class_loaders.clear();
      H2ChunkClosure cl(chunk, buffer, class_loaders);
      const char* const error = cl.run();
      if (error != NULL) {
        _error = error;
      }
      if (class_loaders.length() != 0) {
        MutexLocker ml(&_lock, Mutex::_no_safepoint_check_flag);
        for (int j = 0; j < class_loaders.length(); j++) {
          chunk.region->add_class_loader(class_loaders.at(j));
        }
      }
      words += chunk.words;
    }
    FREE_C_HEAP_ARRAY(HeapWord, buffer);
    _counts.add(worker_id, words);
  }
};

const char* H2Copier::copy(const H2Assigner& assigner, WorkGang* workers) {
  H2Cards::of_h2().forget_targets();
  H2CopyTask task(assigner, workers->active_workers());
  workers->run_task(&task);
  task.counts().log();
  return task.error();
}
