/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2ELIGIBILITY_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2ELIGIBILITY_HPP

#include "classfile/vmClasses.hpp"
#include "gc/shared/oopStorage.hpp"
#include "gc/shared/oopStorageParState.hpp"
#include "memory/allocation.hpp"
#include "memory/memRegion.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/atomic.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

// Decides which objects may move to H2. Objects that the VM treats specially stay in H1. These are
// class mirrors, class loaders, references, threads, modules and the internals of method handles.
// Direct and mapped buffers also stay, because the library runs a collection if their memory is
// short, and that collection must find the dead ones. Widely shared objects stay, because they
// would keep a region alive. These are the direct targets of static fields (singletons, enum
// constants), the elements of short arrays that fields of boot classes refer to (cached boxes),
// interned strings (literals), and lambdas without captured variables.

class H2EligibleKlasses {
  // A cache of recent classes, by hash, because objects of several classes alternate.
  static const int LogLength = 6;
  struct Entry {
    const Klass* klass;
    bool         is_eligible;
  } _seen[1 << LogLength];

  static bool is_eligible_slow(const Klass* k);

 public:
  H2EligibleKlasses() : _seen() {}

  bool is_eligible(const Klass* k) {
    Entry& entry = _seen[(uintptr_t)k * 0x9E3779B97F4A7C15ull >> (BitsPerWord - LogLength)];
    if (entry.klass != k) {
      entry.klass = k;
      entry.is_eligible = is_eligible_slow(k);
    }
    return entry.is_eligible;
  }

  // Whether objects of an eligible class can have references.
  static inline bool has_references(const Klass* k);
};

// A set of objects of H1 by address, used at a safepoint.
class H2ObjectSet {
  GrowableArray<oop> _objects;      // may contain an object several times
  oop*               _table;        // with linear probing, at least twice as long as the list
  int                _log_length;
  int                _count;
  // One bit per hash of an address in _objects. It rejects most objects quickly.
  static const int   LogFilterBits = 20;
  CHeapBitMap        _filter;

  static size_t hash(oop obj, int log_length) {
    return (size_t)((cast_from_oop<uintptr_t>(obj) >> LogHeapWordSize) * 0x9E3779B97F4A7C15ull >> (64 - log_length));
  }
  static size_t filter_bit(oop obj) { return hash(obj, LogFilterBits); }
  // Returns the slot of the object, or a free slot for it.
  size_t find(oop obj) const;
  bool contains_slow(oop obj) const { return _table[find(obj)] != NULL; }

  NONCOPYABLE(H2ObjectSet);

 protected:
  H2ObjectSet() : _objects(4096, mtGC), _table(NULL), _log_length(0), _count(0), _filter((size_t)1 << LogFilterBits, mtGC) {}
  ~H2ObjectSet()                   { FREE_C_HEAP_ARRAY(oop, _table); }

  // Adds the targets of static fields. For permanent classes, it also adds the classes themselves
  // and their literals. Call make_table() after the last addition.
  void add_statics(bool of_permanent_classes);
  void make_table();

 public:
  int count() const                { return _count; }
  bool contains(oop obj) const {
    return _filter.at(filter_bit(obj)) && contains_slow(obj);
  }
};

// The interned strings in H1, at a safepoint. The first query for a string finds them all, and all
// workers with a query take part. Only one instance may exist at a time.
class H2InternedStrings {
  OopStorage::ParState<false, false> _entries;
  MemRegion     _h1;
  BitMapView    _bits;                  // one bit per word of H1
  volatile int  _finding;               // number of workers that search
  volatile bool _are_found;

  static MemRegion _memory;             // memory of the bits, or empty if there is none

  void find();

  NONCOPYABLE(H2InternedStrings);

 public:
  // Called at the start of the VM.
  static void initialize();

  H2InternedStrings();
  ~H2InternedStrings();

  bool contains(oop string) {
    if (!Atomic::load_acquire(&_are_found)) {
      find();
    }
    return !_memory.is_empty() && _bits.at(pointer_delta(cast_from_oop<HeapWord*>(string), _h1.start()));
  }
};

// The shared objects that do not move to H2.
class H2SharedObjects : public H2ObjectSet {
  H2InternedStrings _strings;

 public:
  // Finds the objects.
  H2SharedObjects();

  bool contains(oop obj, const Klass* k) {
    return k == vmClasses::String_klass() ? _strings.contains(obj) || H2ObjectSet::contains(obj) : H2ObjectSet::contains(obj);
  }
};

// Objects that are alive whether or not H2 refers to them. These are classes that are never
// unloaded, their literals, the targets of their static fields, and for boot classes the elements of
// short arrays in H1. Interned strings only count if they are such literals, because nothing else
// keeps an interned string alive.
class H2StaticObjects : public H2ObjectSet, public CHeapObj<mtGC> {
 public:
  // Finds the objects.
  H2StaticObjects();
};

inline bool H2EligibleKlasses::has_references(const Klass* k) {
  return k->is_instance_klass() ? InstanceKlass::cast(k)->nonstatic_oop_map_count() != 0 : k->is_objArray_klass();
}

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2ELIGIBILITY_HPP
