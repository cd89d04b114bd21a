/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARPAGECLOSURE_HPP
#define SHARE_GC_TERRACE_FAR_FARPAGECLOSURE_HPP

#include "classfile/classLoaderData.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/farSummaries.hpp"
#include "memory/iterator.hpp"
#include "oops/klass.hpp"
#include "oops/oop.hpp"

// Creates the summary of a page from the objects that start there. Subclasses decide which references it has.
class FarPageClosure : public BasicOopIterateClosure {
  FarPageSummary _summary;
  size_t         _page;

 protected:
  size_t page() const               { return _page; }
  size_t slot_of(const void* p) const { return pointer_delta(p, FarPages::bottom_of(_page), FarSummaries::SlotSize); }
  // References within the page are not needed, because the page is marked as a whole.
  bool leaves_page(oop obj) const   { return FarPages::page_of(cast_from_oop<void*>(obj)) != _page; }

  // Called for each slot. A null reference counts, because it may be written later.
  void add_slot(const void* p) {
    const size_t at = FarPages::page_of(p);
    if (at == _page + 1) {
      _summary.set_crosses();
    } else if (at != _page) {
      _summary.refuse();
    }
  }

  void add_reference(const void* p, oop obj) { _summary.add_reference(slot_of(p), FarPages::bit_of(cast_from_oop<void*>(obj))); }

  // Called for each object.
  void add_object(const Klass* klass, size_t words) {
    _summary.add_object(words);
    ClassLoaderData* const loader = klass->class_loader_data();
    if (!loader->is_permanent_class_loader_data()) {
      _summary.add_loader(loader);
    }
  }

 public:
  FarPageClosure() : _page(0) {}

  void begin(size_t page) {
    _page = page;
    _summary.reset(FarPages::bit_of(FarPages::bottom_of(page)));
  }

  virtual ReferenceIterationMode reference_iteration_mode() { return DO_FIELDS; }

  FarPageSummary& summary()         { return _summary; }
};

#endif // SHARE_GC_TERRACE_FAR_FARPAGECLOSURE_HPP
