/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTION_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTION_HPP

#include "gc/terrace/h2/liveness/h2Eligibility.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectGroups.hpp"
#include "memory/allocation.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/atomic.hpp"
#include "utilities/globalDefinitions.hpp"

// The state that the workers of a selection share. It has the bounds, and how much they have selected.
class H2Selection : public StackObj {
  H2SharedObjects  _shared;
  const size_t     _wanted_words;
  const size_t     _room_words;
  size_t           _part_words;       // the maximum for this collection; without a maximum not below _room_words
  size_t           _limit_words;      // the maximum for the current pass
  bool             _takes_larger;     // a single object may exceed the part
  volatile size_t  _words;
  volatile size_t  _objects;
  volatile bool    _overfull;
  volatile bool    _leaves_due_roots; // for a later part
  volatile bool    _leaves_due;       // objects that fit into a later part
  volatile bool*   _is_cut;           // the groups whose closures were cut when due objects were selected
  const H2SelectGroups& _groups;
  bool             _leaves_rest;      // objects that this pass leaves out are due
  volatile bool    _left_out;         // this pass left out an object

 public:
  // Needs a ResourceMark.
  H2Selection(size_t wanted_words, size_t room_words, size_t part_words, const H2SelectGroups& groups) :
    _wanted_words(wanted_words), _room_words(room_words), _part_words(part_words), _limit_words(0), _takes_larger(true),
    _words(0), _objects(0), _overfull(false), _leaves_due_roots(false), _leaves_due(false),
    _is_cut(NEW_RESOURCE_ARRAY(bool, groups.max_count())), _groups(groups),
    _leaves_rest(false), _left_out(false) {}

  void clear() {
    _words = 0;
    _objects = 0;
    _overfull = false;
    _leaves_due_roots = false;
    _leaves_due = false;
    memset((void*)_is_cut, 0, _groups.max_count() * sizeof(bool));
  }

  const H2SelectGroups& groups() const { return _groups; }
  size_t wanted_words() const     { return _wanted_words; }
  size_t room_words() const       { return _room_words; }
  size_t part_words() const       { return _part_words; }
  size_t limit_words() const      { return _limit_words; }
  void set_limit(size_t words)    { _limit_words = words; }

  bool is_in_parts() const        { return _part_words < _room_words; }
  // Between these calls, objects that do not fit are due, and are left for a later transfer.
  void begin_due()                { _leaves_rest = true; }
  void end_due()                  { _leaves_rest = false; }
  bool leaves_rest() const        { return _leaves_rest; }
  bool leaves_due_roots() const   { return _leaves_due_roots; }
  bool leaves_due() const         { return _leaves_due_roots || _leaves_due; }
  bool is_cut(uint group) const   { return _is_cut[group]; }
  // Excludes an object that is larger than a part, or halves the part if there is none. Returns false if the
  // part has become smaller than least_words.
  bool try_smaller_part(size_t least_words) {
    if (_takes_larger && _words > _part_words) {
      _takes_larger = false;
      return true;
    }
    _part_words = MIN2(_part_words, _room_words) / 2;
    return _part_words >= least_words;
  }

  size_t words() const            { return Atomic::load(&_words); }
  size_t objects() const          { return _objects; }
  bool is_overfull() const        { return _overfull; }
  void set_overfull(bool value)   { _overfull = value; }
  bool is_at_limit() const        { return words() >= _limit_words; }
  bool has_left_out() const       { return _left_out; }
  void clear_left_out()           { _left_out = false; }

  // The largest object that moves in a part of its own. Without parts, none does.
  size_t largest_words() const    { return !is_in_parts() ? 0 : _takes_larger ? _room_words : _part_words; }

  // Functions for workers.

  // Whether the VM or classes refer to this object, so that it stays in H1.
  bool is_shared(oop obj, const Klass* k) { return _shared.contains(obj, k); }
  // Whether an object of this size fits. An object larger than a part is a part by itself. unreported_words:
  // those that the worker has not added yet.
  bool fits(size_t words, size_t unreported_words) const {
    const size_t selected = Atomic::load(&_words) + unreported_words;
    return selected + words <= _limit_words ||
           (selected == 0 && _leaves_rest && words <= largest_words());
  }
  void add_words(size_t words, bool may_leave_out) {
    const size_t total = Atomic::add(&_words, words);
    if (total > _limit_words && !may_leave_out) {
      _overfull = true;
    }
  }
  void add_objects(size_t objects) { Atomic::add(&_objects, objects); }
  // An object did not fit. This group will have the slot that refers to it.
  void leave_out(uint group, size_t words) {
    _left_out = true;
    if (_leaves_rest) {
      _is_cut[group] = true;
      _leaves_due = _leaves_due || words <= largest_words();
    }
  }
  // A root and all later ones are not looked at.
  void leave_roots(bool is_due)   { _leaves_due_roots = _leaves_due_roots || is_due; }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTION_HPP
