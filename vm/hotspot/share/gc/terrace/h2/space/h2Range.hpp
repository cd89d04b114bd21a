/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2RANGE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2RANGE_HPP

#include "gc/terrace/terraceMacros.hpp"
#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/globalDefinitions.hpp"

#if INCLUDE_TERRACE

// Address ranges that the hooks test for each object. They are H2 itself, the part of H1 from which
// the current collection moves objects to H2, and the part of H2 from which it moves objects to
// other regions. A test is one comparison, which is false for all addresses while the size is zero.
class H2Range : public AllStatic {
  struct Range {
    uintptr_t base;
    size_t    byte_size;

    bool contains(const void* p) const  { return (uintptr_t)p - base < byte_size; }
    void set(const void* start, size_t size) { base = (uintptr_t)start; byte_size = size; }
  };

  struct Ranges {
    Range h2;
    Range moving;
    Range leaving;
  };

  static Ranges _ranges;

 public:
  static void set(const void* base, size_t byte_size)         { _ranges.h2.set(base, byte_size); }
  static void set_moving(const void* base, size_t byte_size)  { _ranges.moving.set(base, byte_size); }
  static void clear_moving()            { _ranges.moving.byte_size = 0; }
  static void set_leaving(const void* base, size_t byte_size) { _ranges.leaving.set(base, byte_size); }
  static void clear_leaving()           { _ranges.leaving.byte_size = 0; }

  static char*  base()                  { return (char*)_ranges.h2.base; }
  static size_t byte_size()             { return _ranges.h2.byte_size; }
  static bool is_empty()                { return _ranges.h2.byte_size == 0; }
  static bool contains(const void* p)   { return _ranges.h2.contains(p); }
  static bool contains(oop obj)         { return contains(cast_from_oop<void*>(obj)); }
  static bool may_move(const void* p)   { return _ranges.moving.contains(p); }
  static bool may_leave(const void* p)  { return _ranges.leaving.contains(p); }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_H2_SPACE_H2RANGE_HPP
