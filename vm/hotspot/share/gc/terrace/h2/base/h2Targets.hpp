/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_BASE_H2TARGETS_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2TARGETS_HPP

#include "memory/allocation.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

// The set of all H1 objects to which a region's cards in the state Remembered refer. They are few
// objects, such as class tags, singletons, cached boxes and literals, and permanent classes keep
// them alive. A major collection therefore marks them without reading these cards. It adjusts the
// cards only if one of the objects moves, and objects that live long in H1 rarely move.
//
// The set has space for the cached boxes of four classes: 256 each of Integer, Long, Short, Byte.
class H2Targets : public CHeapObj<mtGC> {
 public:
  static const int Capacity = 1024;

 private:
  static const int ManyCount = 16;          // up to this number, the search is linear
  static const int LogTableLength = 11;     // at least twice as many entries as objects
  static const int TableLength = 1 << LogTableLength;

  GrowableArrayCHeap<oop, mtGC> _list;
  uint16_t*                     _table;     // of index + 1, linear probing; NULL up to ManyCount objects
  // The last result of are_all(), and its collection; 0: the set has changed since.
  uint                          _collection;
  bool                          _are_all;

  static int hash(oop obj) {
    return (int)((cast_from_oop<uintptr_t>(obj) >> LogHeapWordSize) * 0x9E3779B97F4A7C15ull >> (64 - LogTableLength));
  }
  // Returns the table index of the object, or of the free entry for it.
  int  find(oop obj) const;
  void enter(int index);

  NONCOPYABLE(H2Targets);

 public:
  // Major collections are numbered from 1, so 0 means none.
  H2Targets() : _list(4), _table(NULL), _collection(0), _are_all(false) {}
  ~H2Targets()                 { FREE_C_HEAP_ARRAY(uint16_t, _table); }

  bool contains(oop obj) const { return _table != NULL ? _table[find(obj)] != 0 : _list.contains(obj); }
  // Returns false if the set is full.
  bool add(oop obj);

  // Truncation removes the objects that were added last.
  int  count() const           { return _list.length(); }
  void truncate(int count);

  template <typename Function> void objects_do(Function function) const {
    for (int i = 0; i < _list.length(); i++) {
      function(_list.at(i));
    }
  }

  // Whether the predicate holds for every object. A collection calls this several times, always with the
  // same predicate and by one thread at a time. It reads the objects again only if the set has changed.
  template <typename Predicate> bool are_all(uint collection, Predicate predicate) {
    if (_collection != collection) {
      _collection = collection;
      _are_all = true;
      for (int i = 0; i < _list.length() && _are_all; i++) {
        _are_all = predicate(_list.at(i));
      }
    }
    return _are_all;
  }
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2TARGETS_HPP
