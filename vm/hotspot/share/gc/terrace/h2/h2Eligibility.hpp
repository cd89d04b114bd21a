/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2ELIGIBILITY_HPP
#define SHARE_GC_TERRACE_H2_H2ELIGIBILITY_HPP

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

// Which objects may move to H2. Not those that the VM treats specially: class
// mirrors, class loaders, references, threads, modules, the innards of method
// handles. Not direct and mapped buffers: when their memory is short, the
// library runs a collection that has to find those that are garbage. And not
// what everything shares, as it would tie a region to life: what a static field
// refers to directly (singletons, enum constants), the elements of short arrays
// that fields of boot classes refer to (cached boxes), interned strings
// (literals), and lambdas that capture nothing.

class H2EligibleKlasses {
  // Those seen last, by hash: objects of several classes alternate.
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

  // Whether objects of an eligible class can refer to others.
  static inline bool has_references(const Klass* k);
};

// Objects of H1 by their addresses, at a safepoint.
class H2ObjectSet {
  GrowableArray<oop> _objects;      // each may be there several times
  oop*               _table;        // linear probing, at least twice as long
  int                _log_length;
  int                _count;
  // A bit per hash of an address in _objects: most objects are not there.
  static const int   LogFilterBits = 20;
  CHeapBitMap        _filter;

  static size_t hash(oop obj, int log_length) {
    return (size_t)((cast_from_oop<uintptr_t>(obj) >> LogHeapWordSize) * 0x9E3779B97F4A7C15ull >> (64 - log_length));
  }
  static size_t filter_bit(oop obj) { return hash(obj, LogFilterBits); }
  // Where it is, or where there is room for it.
  size_t find(oop obj) const;
  bool contains_slow(oop obj) const { return _table[find(obj)] != NULL; }

  NONCOPYABLE(H2ObjectSet);

 protected:
  H2ObjectSet() : _objects(4096, mtGC), _table(NULL), _log_length(0), _count(0), _filter((size_t)1 << LogFilterBits, mtGC) {}
  ~H2ObjectSet()                   { FREE_C_HEAP_ARRAY(oop, _table); }

  // What static fields refer to; of permanent classes, also they themselves and their literals.
  // After what is added last, make_table().
  void add_statics(bool of_permanent_classes);
  void make_table();

 public:
  int count() const                { return _count; }
  bool contains(oop obj) const {
    return _filter.at(filter_bit(obj)) && contains_slow(obj);
  }
};

// The interned strings in H1, at a safepoint: found when the first string is asked
// for, by all workers that ask then. One at a time.
class H2InternedStrings {
  OopStorage::ParState<false, false> _entries;
  MemRegion     _h1;
  BitMapView    _bits;                  // by word of H1
  volatile int  _finding;               // workers
  volatile bool _are_found;

  static char*  _memory;                // of the bits; NULL: there is none
  static size_t _memory_size;

  void find();

  NONCOPYABLE(H2InternedStrings);

 public:
  // At the start.
  static void initialize();

  H2InternedStrings();
  ~H2InternedStrings();

  bool contains(oop string) {
    if (!Atomic::load_acquire(&_are_found)) {
      find();
    }
    return _memory != NULL && _bits.at(pointer_delta(cast_from_oop<HeapWord*>(string), _h1.start()));
  }
};

// What does not move to H2.
class H2SharedObjects : public H2ObjectSet {
  H2InternedStrings _strings;

 public:
  // Collects them.
  H2SharedObjects();

  bool contains(oop obj, const Klass* k) {
    return k == vmClasses::String_klass() ? _strings.contains(obj) || H2ObjectSet::contains(obj) : H2ObjectSet::contains(obj);
  }
};

// Classes that are never unloaded, their literals, what their static fields refer to,
// and of boot classes the elements of short arrays in H1: alive, whoever else refers to
// them. Of interned strings, those only that are such literals: nothing else keeps one.
class H2StaticObjects : public H2ObjectSet, public CHeapObj<mtGC> {
 public:
  // Collects them.
  H2StaticObjects();
};

inline bool H2EligibleKlasses::has_references(const Klass* k) {
  return k->is_instance_klass() ? InstanceKlass::cast(k)->nonstatic_oop_map_count() != 0 : k->is_objArray_klass();
}

#endif // SHARE_GC_TERRACE_H2_H2ELIGIBILITY_HPP
