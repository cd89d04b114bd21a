/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2TARGETS_HPP
#define SHARE_GC_TERRACE_H2_H2TARGETS_HPP

#include "memory/allocation.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

// The objects of H1 that many cards of a region refer to, if they are few and
// permanent classes keep them: class tags, singletons, cached boxes, literals. A major
// collection finds them alive without reading those cards, and needs to
// adjust them only if one of these objects moves; what lives long in H1 does not.
//
// The set names all objects of H1 that cards in the state Remembered refer to.
// It holds all cached boxes of several classes: 256 each of Integer, Long, Short, Byte.
class H2Targets : public CHeapObj<mtGC> {
 public:
  static const int Capacity = 1024;

 private:
  static const int ManyCount = 16;          // so many are looked through
  static const int LogTableLength = 11;     // twice as many as objects at least
  static const int TableLength = 1 << LogTableLength;

  GrowableArrayCHeap<oop, mtGC> _list;
  uint16_t*                     _table;     // of index + 1, linear probing; NULL unless they are many
  // What are_all found last, and when; 0: the set has changed since.
  uint                          _collection;
  bool                          _are_all;

  static int hash(oop obj) {
    return (int)((cast_from_oop<uintptr_t>(obj) >> LogHeapWordSize) * 0x9E3779B97F4A7C15ull >> (64 - LogTableLength));
  }
  // Where it is, or where there is room for it.
  int  find(oop obj) const;
  void enter(int index);

  NONCOPYABLE(H2Targets);

 public:
  // Major collections have numbers from 1 on.
  H2Targets() : _list(4), _table(NULL), _collection(0), _are_all(false) {}
  ~H2Targets()                 { FREE_C_HEAP_ARRAY(uint16_t, _table); }

  bool contains(oop obj) const { return _table != NULL ? _table[find(obj)] != 0 : _list.contains(obj); }
  // False if there is no room.
  bool add(oop obj);

  // Takes back what was added last.
  int  count() const           { return _list.length(); }
  void truncate(int count);

  template <typename Function> void objects_do(Function function) const {
    for (int i = 0; i < _list.length(); i++) {
      function(_list.at(i));
    }
  }

  // Whether the predicate holds for each of them. A collection asks several times, always with the same
  // predicate, and by one thread at a time. The objects are looked at only if the set has changed since.
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

#endif // SHARE_GC_TERRACE_H2_H2TARGETS_HPP
