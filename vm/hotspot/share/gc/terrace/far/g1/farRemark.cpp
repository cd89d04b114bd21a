/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "code/codeCache.hpp"
#include "gc/g1/g1CollectedHeap.inline.hpp"
#include "gc/g1/heapRegion.inline.hpp"
#include "gc/terrace/far/farPages.hpp"
#include "gc/terrace/far/g1/farRemark.hpp"
#include "memory/heap.hpp"
#include "memory/metaspace/virtualSpaceList.hpp"
#include "memory/metaspace/virtualSpaceNode.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals.hpp"

namespace metaspace {
// The list only grows, at its head.
class FarNodes : public AllStatic {
 public:
  template <typename Function> static void each_do(const VirtualSpaceList* list, Function f) {
    for (const VirtualSpaceNode* node = list != NULL ? Atomic::load_acquire(&list->_first_node) : NULL; node != NULL;
         node = node->next()) {
      f(MemRegion((HeapWord*)node->base(), node->word_size()));
    }
  }
};
}

void FarRemark::ask_for_humongous() {
  G1CollectedHeap* const heap = G1CollectedHeap::heap();
  for (uint i = 0; i < heap->max_regions(); i++) {
    const HeapRegion* const region = heap->region_at_or_null(i);
    if (region != NULL && region->is_starts_humongous() && FarPages::is_absent_at(region->bottom())) {
      const size_t page = FarPages::page_of(region->bottom());
      FarPages::read(page, page + 1);
    }
  }
}

void FarRemark::ask_for_metaspace() {
  const auto read = [](MemRegion node) { FarPages::read(node); };
  metaspace::FarNodes::each_do(metaspace::VirtualSpaceList::vslist_class(), read);
  metaspace::FarNodes::each_do(metaspace::VirtualSpaceList::vslist_nonclass(), read);
}

// Code heaps only grow, so the bounds stay valid.
void FarRemark::ask_for_code() {
  for (GrowableArrayIterator<CodeHeap*> heap = CodeCache::heaps()->begin(); heap != CodeCache::heaps()->end(); ++heap) {
    FarPages::read(MemRegion((HeapWord*)(*heap)->low_boundary(), (HeapWord*)(*heap)->high()));
  }
}

void FarRemark::ask_ahead() {
  ask_for_humongous();
  if (ClassUnloadingWithConcurrentMark) {
    ask_for_metaspace();
    ask_for_code();
  }
}
