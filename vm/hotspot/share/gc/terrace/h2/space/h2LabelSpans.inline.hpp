/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_H2LABELSPANS_INLINE_HPP
#define SHARE_GC_TERRACE_H2_SPACE_H2LABELSPANS_INLINE_HPP

#include "gc/terrace/h2/space/h2LabelSpans.hpp"

#include "gc/terrace/h2/space/h2Heap.hpp"

inline jlong H2LabelSpans::label_at(const H2Region* r, const void* p) {
  const H2LabelSpans* const spans = r->label_spans();
  return spans == NULL ? r->label() : spans->_spans.at(spans->index_of(r, p)).label;
}

template <typename Function>
inline void H2LabelSpans::spans_do(const H2Region* r, Function function) {
  const H2LabelSpans* const spans = r->label_spans();
  if (spans == NULL) {
    function(r->label(), MemRegion(H2Heap::bottom_of(r), r->top()));
    return;
  }
  for (int i = 0; i < spans->_spans.length(); i++) {
    function(spans->_spans.at(i).label, spans->span_at(r, i));
  }
}

#endif // SHARE_GC_TERRACE_H2_SPACE_H2LABELSPANS_INLINE_HPP
