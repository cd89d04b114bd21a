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
#include "gc/shared/oopStorageSet.hpp"
#include "gc/terrace/h2/h2Eligibility.hpp"
#include "gc/terrace/h2/h2Range.hpp"
#include "memory/iterator.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/instanceMirrorKlass.hpp"
#include "oops/klass.inline.hpp"
#include "oops/objArrayOop.inline.hpp"
#include "oops/oop.inline.hpp"
#include "utilities/bitMap.inline.hpp"

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

  void add(oop obj, bool with_elements) {
    if (obj == NULL) {
      return;
    }
    if (!H2Range::contains(obj)) {
      _statics->append(obj);
    } else if (_permanent) {
      return;   // what it refers to is alive because its card is read
    }
    // Integer.valueOf and its like hand out elements of such arrays.
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
    oop mirror = k->is_instance_klass() ? k->java_mirror_no_keepalive() : (oop)NULL;
    if (mirror != NULL) {
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

static int by_address(oop* a, oop* b) {
  const uintptr_t x = cast_from_oop<uintptr_t>(*a);
  const uintptr_t y = cast_from_oop<uintptr_t>(*b);
  return x < y ? -1 : x > y;
}

void H2ObjectSet::add_statics(bool of_permanent_classes) {
  CollectStaticsClosure cl(&_objects, of_permanent_classes);
  ClassLoaderDataGraph::loaded_classes_do(&cl);
}

void H2ObjectSet::sort() {
  _objects.sort(by_address);
  for (int i = 0; i < _objects.length(); i++) {
    _filter.set_bit(filter_bit(_objects.at(i)));
  }
}

H2SharedObjects::H2SharedObjects() {
  add_statics(false);
  string_table()->iterate_safepoint([this](oop* p) {
    oop obj = RawAccess<>::oop_load(p);
    if (obj != NULL && !H2Range::contains(obj)) {
      add(obj);
    }
    return true;
  });
  sort();
}

H2StaticObjects::H2StaticObjects() {
  add_statics(true);
  sort();
}

bool H2EligibleKlasses::is_eligible_slow(const Klass* k) {
  if (k->is_array_klass()) {
    return true;
  }
  const InstanceKlass* const ik = InstanceKlass::cast(k);
  // Closures over H2 and the copying of objects know plain instances only.
  if (ik->is_mirror_instance_klass() || ik->is_class_loader_instance_klass() ||
      ik->is_reference_instance_klass()) {
    return false;
  }
  if (ik->is_hidden() && ik->java_fields_count() == 0) {
    return false;   // a lambda without state: its call site keeps the only one
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

bool H2ObjectSet::contains_slow(oop obj) const {
  int low = 0;
  int high = _objects.length() - 1;
  const uintptr_t key = cast_from_oop<uintptr_t>(obj);
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    const uintptr_t value = cast_from_oop<uintptr_t>(_objects.at(middle));
    if (value == key) {
      return true;
    }
    if (value < key) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return false;
}
