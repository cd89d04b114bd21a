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

// The objects of H1 that many cards of a region refer to, if they are few and
// static fields refer to them too: class tags, singletons, cached boxes. A major
// collection finds them alive without reading those cards, and needs to
// adjust them only if one of these objects moves; what lives long in H1 does not.
//
// The set names all objects of H1 that cards in the state Remembered refer to.
class H2Targets : public CHeapObj<mtGC> {
 public:
  static const int Capacity = 16;

 private:
  oop _objects[Capacity];
  int _count;

 public:
  H2Targets() : _count(0) {}

  bool contains(oop obj) const {
    for (int i = 0; i < _count; i++) {
      if (_objects[i] == obj) {
        return true;
      }
    }
    return false;
  }

  // False if there is no room.
  bool add(oop obj) {
    if (contains(obj)) {
      return true;
    }
    if (_count == Capacity) {
      return false;
    }
    _objects[_count++] = obj;
    return true;
  }

  // Takes back what was added last.
  int  count() const           { return _count; }
  void truncate(int count)     { _count = count; }

  template <typename Function> void objects_do(Function function) const {
    for (int i = 0; i < _count; i++) {
      function(_objects[i]);
    }
  }
};

#endif // SHARE_GC_TERRACE_H2_H2TARGETS_HPP
