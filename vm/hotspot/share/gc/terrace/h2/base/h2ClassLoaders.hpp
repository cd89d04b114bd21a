/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_BASE_H2CLASSLOADERS_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2CLASSLOADERS_HPP

#include "memory/allocation.hpp"
#include "utilities/growableArray.hpp"
#include "utilities/resourceHash.hpp"

class ClassLoaderData;

// A set of class loaders that can be unloaded, in order of their insertion. It usually has one or
// two elements. But each hidden class, such as that of a lambda, counts as one, so a region can
// have a hundred thousand.
//
// Not thread-safe.
class H2ClassLoaders : public CHeapObj<mtGC> {
  static const int ManyCount = 16;          // longest list that is searched linearly
  typedef ResourceHashtable<ClassLoaderData*, bool, primitive_hash<ClassLoaderData*>, primitive_equals<ClassLoaderData*>,
                            4099, ResourceObj::C_HEAP, mtGC> Table;

  GrowableArrayCHeap<ClassLoaderData*, mtGC> _list;
  Table*                                     _table;    // NULL unless the list is longer than that

  void make_table();

  NONCOPYABLE(H2ClassLoaders);

 public:
  H2ClassLoaders() : _list(2), _table(NULL) {}
  ~H2ClassLoaders()                     { delete _table; }

  bool contains(ClassLoaderData* cld) const;
  // Returns whether the loader is new.
  bool add(ClassLoaderData* cld);
  void clear()                          { truncate(0); }
  // Keeps the first elements.
  void truncate(int length);

  int  length() const                   { return _list.length(); }
  ClassLoaderData* at(int i) const      { return _list.at(i); }
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2CLASSLOADERS_HPP
