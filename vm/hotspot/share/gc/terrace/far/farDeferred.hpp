/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARDEFERRED_HPP
#define SHARE_GC_TERRACE_FAR_FARDEFERRED_HPP

#include "gc/terrace/far/farBits.hpp"
#include "memory/allStatic.hpp"
#include "runtime/atomic.hpp"

// The objects that marking has deferred, and their pages. The bit of a page is set after the bits of its objects. A
// worker takes the page before its objects.
class FarDeferred : public AllStatic {
  static FarBits         _objects;
  static FarBits         _pages;
  static volatile size_t _page_count;  // number of bits in _pages

 public:
  // Returns false if there is no memory.
  static bool allocate();

  // Adds an object and its page. Returns false if the object was deferred already.
  static bool add(const void* obj);
  // Returns whether the object was deferred and is now the caller's.
  static bool take(const void* obj);
  // The first deferred object from an address on, or limit.
  static HeapWord* next(HeapWord* from, HeapWord* limit);

  static void add_page(size_t page);
  static bool take_page(size_t page);
  static size_t next_page(size_t from, size_t limit);
  static size_t next_page(size_t from);

  static bool has_pages()     { return Atomic::load_acquire(&_page_count) != 0; }
  static size_t page_count()  { return _page_count; }
  static bool is_empty();
  // Also releases the memory of the tables.
  static void drop_all();
};

#endif // SHARE_GC_TERRACE_FAR_FARDEFERRED_HPP
