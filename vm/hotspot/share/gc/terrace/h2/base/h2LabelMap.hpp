/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_BASE_H2LABELMAP_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2LABELMAP_HPP

#include "memory/allocation.inline.hpp"
#include "utilities/globalDefinitions.hpp"

// A map from labels to values that are copied like plain data. The table grows and
// shrinks with the number of labels, so that an access takes constant time for any
// number of them. Open addressing with linear probing, at most two thirds full.
template <typename V>
class H2LabelMap : public CHeapObj<mtGC> {
  static const size_t FirstCapacity = 64;

  struct Entry {
    jlong label;
    V     value;
    bool  is_used;
  };

  size_t _capacity;                     // a power of two
  size_t _count;
  Entry* _entries;

  NONCOPYABLE(H2LabelMap);

  static Entry* allocate(size_t capacity) {
    Entry* const entries = NEW_C_HEAP_ARRAY(Entry, capacity, mtGC);
    memset((void*)entries, 0, capacity * sizeof(Entry));
    return entries;
  }

  // Labels are often consecutive numbers, or multiples of a power of two.
  size_t home_of(jlong label) const {
    const julong product = (julong)label * CONST64(0x9E3779B97F4A7C15);
    return (size_t)(product ^ (product >> 32)) & (_capacity - 1);
  }
  size_t after(size_t i) const { return (i + 1) & (_capacity - 1); }

  // Returns the entry of the label, or the free entry for it.
  Entry* find(jlong label) const {
    size_t i = home_of(label);
    while (_entries[i].is_used && _entries[i].label != label) {
      i = after(i);
    }
    return &_entries[i];
  }

  void resize(size_t capacity) {
    Entry* const old = _entries;
    const size_t old_capacity = _capacity;
    _capacity = capacity;
    _entries = allocate(_capacity);
    for (size_t i = 0; i < old_capacity; i++) {
      if (old[i].is_used) {
        *find(old[i].label) = old[i];
      }
    }
    FREE_C_HEAP_ARRAY(Entry, old);
  }

 public:
  H2LabelMap() : _capacity(FirstCapacity), _count(0), _entries(allocate(FirstCapacity)) {}
  ~H2LabelMap() { FREE_C_HEAP_ARRAY(Entry, _entries); }

  size_t count() const    { return _count; }
  size_t capacity() const { return _capacity; }

  // NULL if the label is not in the map. Valid until the map changes.
  V* get(jlong label) const {
    Entry* const e = find(label);
    return e->is_used ? &e->value : NULL;
  }
  bool contains(jlong label) const { return find(label)->is_used; }

  // Inserts the given value if the label is absent. Returns the value in the map.
  V* put_if_absent(jlong label, const V& value) {
    Entry* e = find(label);
    if (!e->is_used) {
      if ((_count + 1) * 3 > _capacity * 2) {
        resize(_capacity * 2);
        e = find(label);
      }
      e->label = label;
      e->value = value;
      e->is_used = true;
      _count++;
    }
    return &e->value;
  }

  // Returns whether the label is new.
  bool put(jlong label, const V& value) {
    const size_t before = _count;
    *put_if_absent(label, value) = value;
    return _count != before;
  }

  // Returns false if the label is absent. Moves later entries into the gap, so that no probe ends
  // before the entry that it searches.
  bool remove(jlong label) {
    Entry* const e = find(label);
    if (!e->is_used) {
      return false;
    }
    size_t gap = (size_t)(e - _entries);
    for (size_t i = after(gap); _entries[i].is_used; i = after(i)) {
      const size_t distance_of_gap = (i - gap) & (_capacity - 1);
      if (((i - home_of(_entries[i].label)) & (_capacity - 1)) >= distance_of_gap) {
        _entries[gap] = _entries[i];
        gap = i;
      }
    }
    _entries[gap].is_used = false;
    _count--;
    if (_capacity > FirstCapacity && _count * 8 < _capacity) {
      resize(_capacity / 2);
    }
    return true;
  }

  void clear() {
    FREE_C_HEAP_ARRAY(Entry, _entries);
    _capacity = FirstCapacity;
    _count = 0;
    _entries = allocate(FirstCapacity);
  }

  // Calls function(label, value) in any order.
  template <typename Function>
  void each_do(Function function) const {
    for (size_t i = 0; i < _capacity; i++) {
      if (_entries[i].is_used) {
        function(_entries[i].label, _entries[i].value);
      }
    }
  }
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2LABELMAP_HPP
