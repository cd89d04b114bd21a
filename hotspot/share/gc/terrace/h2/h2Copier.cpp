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
#include "gc/terrace/h2/h2Assigner.hpp"
#include "gc/terrace/h2/h2Cards.hpp"
#include "gc/terrace/h2/h2Copier.hpp"
#include "gc/terrace/h2/h2Dependencies.hpp"
#include "gc/terrace/h2/h2File.hpp"
#include "gc/terrace/h2/h2Forwarding.inline.hpp"
#include "gc/terrace/h2/h2Heap.hpp"
#include "gc/terrace/h2/h2Region.inline.hpp"
#include "gc/terrace/h2/h2StartTable.hpp"
#include "gc/terrace/h2/h2WorkerCounts.hpp"
#include "gc/terrace/terraceHooks.hpp"
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
  const H2Chunk&   _chunk;
  const uint       _region_index;
  HeapWord* const  _buffer;
  size_t           _filled;             // words in the buffer
  const Klass*     _last_klass;
  GrowableArray<ClassLoaderData*>& _class_loaders;
  // The words being copied: their place in H1, and from there to the buffer.
  HeapWord*        _source;
  ptrdiff_t        _to_buffer;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    T* const slot = (T*)((address)p + _to_buffer);
    if (!TerraceHooks::is_in_h2_range(target)) {
      if (!H2Forwarding::is_moving(target)) {
        H2Cards::set_old((address)_chunk.to + ((address)slot - (address)_buffer));
        return;
      }
      target = cast_to_oop(H2Forwarding::destination(cast_from_oop<HeapWord*>(target)));
      RawAccess<IS_NOT_NULL>::oop_store(slot, target);
    }
    const uint index = H2Heap::head_index_of(target);
    if (index != _region_index) {
      H2Dependencies::add(_region_index, index);
    }
  }

  // Copies words [begin, end) of an object.
  void copy(HeapWord* p, size_t size, size_t begin, size_t end) {
    oop obj = cast_to_oop(p);
    if (begin == 0) {
      assert(_chunk.to + _filled == H2Forwarding::destination(p), "must agree");
      H2StartTable::record(_chunk.to + _filled, size);
      Klass* const k = obj->klass();
      if (k != _last_klass) {
        _last_klass = k;
        ClassLoaderData* const cld = k->class_loader_data();
        if (!cld->is_permanent_class_loader_data()) {
          _class_loaders.append_if_missing(cld);
        }
      }
    }
    HeapWord* const source = p + begin;
    HeapWord* const copy = _buffer + _filled;
    memcpy(copy, source, (end - begin) * HeapWordSize);
    _filled += end - begin;
    _to_buffer = (address)copy - (address)source;
    if (obj->is_typeArray()) {
      return;
    }
    if (end - begin == size) {
      obj->oop_iterate(this);
    } else {
      obj->oop_iterate(this, MemRegion(source, end - begin));
    }
  }

 public:
  H2ChunkClosure(const H2Chunk& chunk, HeapWord* buffer, GrowableArray<ClassLoaderData*>& class_loaders) :
    _chunk(chunk), _region_index(H2Heap::index_of_region(chunk.region)), _buffer(buffer), _filled(0),
    _last_klass(NULL), _class_loaders(class_loaders), _to_buffer(0) {}

  // NULL, or why it failed.
  const char* run() {
    const size_t wanted_end = _chunk.skip + _chunk.words;
    size_t at = 0;
    for (size_t i = _chunk.first; i <= _chunk.last; i++) {
      H2Forwarding::objects_in_block_do(H2Forwarding::ordered(i), [&](HeapWord* p, size_t size) {
        const size_t begin = MAX2(at, _chunk.skip);
        const size_t end = MIN2(at + size, wanted_end);
        if (begin < end) {
          copy(p, size, begin - at, end - at);
        }
        at += size;
      });
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
  Mutex                _lock;           // class loaders of regions
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
    GrowableArray<ClassLoaderData*> class_loaders;
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
      if (class_loaders.is_nonempty()) {
        MutexLocker ml(&_lock, Mutex::_no_safepoint_check_flag);
        for (int j = 0; j < class_loaders.length(); j++) {
          chunk.region->add_class_loader(class_loaders.at(j));
        }
      }
      words += chunk.words;
    }
    FREE_C_HEAP_ARRAY(HeapWord, buffer);
    _counts.set(worker_id, words);
  }
};

const char* H2Copier::copy(const H2Assigner& assigner, WorkGang* workers) {
  H2CopyTask task(assigner, workers->active_workers());
  workers->run_task(&task);
  task.counts().log();
  return task.error();
}
