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
#include "classfile/classLoaderDataGraph.hpp"
#include "classfile/javaClasses.inline.hpp"
#include "classfile/vmClasses.hpp"
#include "gc/shared/oopStorage.inline.hpp"
#include "gc/shared/oopStorageParState.inline.hpp"
#include "gc/shared/oopStorageSet.hpp"
#include "gc/shared/workgroup.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/liveness/h2Eligibility.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/terraceMemory.hpp"
#include "logging/log.hpp"
#include "memory/iterator.hpp"
#include "oops/constantPool.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/instanceMirrorKlass.hpp"
#include "oops/klass.inline.hpp"
#include "oops/objArrayOop.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/os.hpp"
#include "utilities/bitMap.inline.hpp"
#include "utilities/powerOfTwo.hpp"

class CollectStaticsClosure : public KlassClosure {
  GrowableArray<oop>* const _statics;
  const bool                _permanent;

  static const int MaxCacheLength = 1024;

  template <typename T> void collect(oop mirror, bool in_boot_class) {
    T* const first = (T*)InstanceMirrorKlass::start_of_static_fields(mirror);
    T* const end = first + java_lang_Class::static_oop_field_count(mirror);
    for (T* p = first; p < end; p++) {
      add(RawAccess<>::oop_load(p), in_boot_class);
    }
  }

  // Adds the resolved literals of a class, which are strings, classes, and the objects of call sites.
  void collect_literals(InstanceKlass* k) {
    const objArrayOop literals = k->constants()->resolved_references_or_null();
    // An array in H2 needs no entry, because marking reads its cards, and so keeps its targets alive.
    const int length = literals == NULL || H2Range::contains(literals) ? 0 : literals->length();
    for (int i = 0; i < length; i++) {
      add(literals->obj_at(i), false);
    }
  }

  void add(oop obj, bool with_elements) {
    if (obj == NULL) {
      return;
    }
    if (!H2Range::contains(obj)) {
      _statics->append(obj);
    } else if (_permanent) {
      return;   // its card is read, so its targets are alive
    }
    // Integer.valueOf and similar methods return elements of such arrays.
    if (with_elements && obj->is_objArray() && objArrayOop(obj)->length() <= MaxCacheLength) {
      for (int i = 0; i < objArrayOop(obj)->length(); i++) {
        add(objArrayOop(obj)->obj_at(i), false);
      }
    }
  }

 public:
  CollectStaticsClosure(GrowableArray<oop>* statics, bool permanent) : _statics(statics), _permanent(permanent) {}

  virtual void do_klass(Klass* k) {
    if (_permanent && !k->class_loader_data()->is_permanent_class_loader_data()) {
      return;
    }
    oop mirror = k->java_mirror_no_keepalive();
    if (mirror == NULL) {
      return;
    }
    if (_permanent) {
      add(mirror, false);
    }
    if (k->is_instance_klass()) {
      if (_permanent) {
        collect_literals(InstanceKlass::cast(k));
      }
      if (UseCompressedOops) {
        collect<narrowOop>(mirror, k->class_loader_data()->is_boot_class_loader_data());
      } else {
        collect<oop>(mirror, k->class_loader_data()->is_boot_class_loader_data());
      }
    }
  }
};

static OopStorage* string_table() {
  for (OopStorage* storage : OopStorageSet::Range<OopStorageSet::WeakId>()) {
    if (strcmp(storage->name(), "StringTable Weak") == 0) {
      return storage;
    }
  }
  ShouldNotReachHere();
  return NULL;
}

void H2ObjectSet::add_statics(bool of_permanent_classes) {
  CollectStaticsClosure cl(&_objects, of_permanent_classes);
  ClassLoaderDataGraph::loaded_classes_do(&cl);
}

size_t H2ObjectSet::find(oop obj) const {
  size_t i = hash(obj, _log_length);
  while (_table[i] != NULL && _table[i] != obj) {
    i = (i + 1) & right_n_bits(_log_length);
  }
  return i;
}

void H2ObjectSet::make_table() {
  _log_length = log2i(MAX2(_objects.length(), 1)) + 2;
  _table = NEW_C_HEAP_ARRAY(oop, (size_t)1 << _log_length, mtGC);
  memset((void*)_table, 0, sizeof(oop) << _log_length);
  for (int i = 0; i < _objects.length(); i++) {
    const size_t index = find(_objects.at(i));
    _count += _table[index] == NULL ? 1 : 0;
    _table[index] = _objects.at(i);
    _filter.set_bit(filter_bit(_objects.at(i)));
  }
}

MemRegion H2InternedStrings::_memory;

// The bitmap has one bit per word of H1. It uses memory only for pages with set bits, and only during
// the transfer. Without the bitmap, interned strings move like other objects. They then keep their
// regions alive as long as they are interned.
void H2InternedStrings::initialize() {
  const size_t words = BitMap::calc_size_in_words(H1Heap::reserved().word_size());
  const size_t size = align_up(words * sizeof(BitMap::bm_word_t), os::vm_page_size());
  char* const memory = os::reserve_memory(size, false, mtGC);
  if (memory != NULL && TerraceMemory::commit(memory, size)) {
    _memory = MemRegion((HeapWord*)memory, size / HeapWordSize);
    return;
  }
  if (memory != NULL) {
    os::release_memory(memory, size);
  }
  log_info(gc, h2)("No memory for the addresses of interned strings; they move to H2");
}

H2InternedStrings::H2InternedStrings() :
  _entries(string_table(), H1Heap::active_workers()),
  _h1(H1Heap::reserved()), _bits(), _finding(0), _are_found(false) {
  if (!_memory.is_empty()) {
    _bits = BitMapView((BitMap::bm_word_t*)_memory.start(), _h1.word_size());
  }
}

H2InternedStrings::~H2InternedStrings() {
  if (_are_found) {
    log_debug(gc, h2)("Searched for interned strings: " SIZE_FORMAT " entries", string_table()->allocation_count());
  }
  if (!_memory.is_empty() && _are_found) {
    H2Memory::zero((char*)_memory.start(), _memory.byte_size());
  }
}

// A worker that returns from the iteration may have left parts to other workers, so it waits for them.
void H2InternedStrings::find() {
  Atomic::inc(&_finding);
  if (!_memory.is_empty()) {
    _entries.iterate([this](oop* p) {
      oop obj = RawAccess<>::oop_load(p);
      if (obj != NULL && !H2Range::contains(obj)) {
        _bits.par_set_bit(pointer_delta(cast_from_oop<HeapWord*>(obj), _h1.start()));
      }
    });
  }
  Atomic::dec(&_finding);
  while (Atomic::load_acquire(&_finding) != 0) {
    SpinPause();
  }
  Atomic::release_store(&_are_found, true);
}

H2SharedObjects::H2SharedObjects() {
  add_statics(false);
  make_table();
}

H2StaticObjects::H2StaticObjects() {
  add_statics(true);
  make_table();
}

bool H2EligibleKlasses::is_eligible_slow(const Klass* k) {
  if (k->is_array_klass()) {
    return true;
  }
  const InstanceKlass* const ik = InstanceKlass::cast(k);
  // Closures over H2 and the code that copies objects support only plain instances.
  if (ik->is_mirror_instance_klass() || ik->is_class_loader_instance_klass() ||
      ik->is_reference_instance_klass()) {
    return false;
  }
  if (ik->is_hidden() && ik->java_fields_count() == 0) {
    return false;   // a lambda without state, whose only instance is kept by its call site
  }
  if (ik->name()->starts_with("java/nio/Direct")) {
    return false;
  }
  const Klass* const special[] = {
    vmClasses::Thread_klass(),
    vmClasses::ThreadGroup_klass(),
    vmClasses::Module_klass(),
    vmClasses::MethodHandle_klass(),
    vmClasses::MemberName_klass(),
    vmClasses::ResolvedMethodName_klass(),
    vmClasses::LambdaForm_klass(),
    vmClasses::MethodType_klass(),
    vmClasses::CallSite_klass(),
    vmClasses::Context_klass(),
  };
  for (size_t i = 0; i < ARRAY_SIZE(special); i++) {
    if (k->is_subclass_of(special[i])) {
      return false;
    }
  }
  return true;
}
