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
  static uintptr_t _base;
  static size_t    _byte_size;
  static uintptr_t _moving_base;
  static size_t    _moving_byte_size;
  static uintptr_t _leaving_base;
  static size_t    _leaving_byte_size;

 public:
  static void set(const void* base, size_t byte_size) {
    _base = (uintptr_t)base;
    _byte_size = byte_size;
  }
  static void set_moving(const void* base, size_t byte_size) {
    _moving_base = (uintptr_t)base;
    _moving_byte_size = byte_size;
  }
  static void clear_moving()            { _moving_byte_size = 0; }
  static void set_leaving(const void* base, size_t byte_size) {
    _leaving_base = (uintptr_t)base;
    _leaving_byte_size = byte_size;
  }
  static void clear_leaving()           { _leaving_byte_size = 0; }

  static char*  base()                  { return (char*)_base; }
  static size_t byte_size()             { return _byte_size; }
  static bool is_empty()                { return _byte_size == 0; }
  static bool contains(const void* p)   { return (uintptr_t)p - _base < _byte_size; }
  static bool contains(oop obj)         { return contains(cast_from_oop<void*>(obj)); }
  static bool may_move(const void* p)   { return (uintptr_t)p - _moving_base < _moving_byte_size; }
  static bool may_leave(const void* p)  { return (uintptr_t)p - _leaving_base < _leaving_byte_size; }
};

#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_H2_SPACE_H2RANGE_HPP
