/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTOR_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTOR_HPP

#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectGroups.hpp"
#include "gc/terrace/h2/transfer/selection/h2SelectGrownTask.hpp"
#include "gc/terrace/h2/transfer/selection/h2Selection.hpp"
#include "memory/allocation.hpp"
#include "utilities/growableArray.hpp"

class WorkGang;

// Selects the closures of roots into H2Forwarding. This is the first phase of a transfer.
// An object that is reached from roots of several groups (H2SelectGroups) belongs to the group for
// which a worker first claims it. Fast roots come before others.
//
// If the pause has a time goal, a part of a closure may be selected. The other objects stay in H1
// until a later transfer uses the slots of H2 that refer to them as roots (H2Rest).
class H2Selector : public StackObj {
  // Roots are ordered as due and fast, due, fast, and others.
  static const int MaxPasses = 4;

  const GrowableArray<H2Tags::Root>& _roots;
  H2SelectGroups _groups;
  H2Selection    _selection;
  H2GrownRegions _grown;
  int            _root_end;
  int            _claimed;              // the first root that the last pass has not looked at
  bool           _completes_rest;       // all objects that earlier transfers left are selected
  bool           _has_selected_rest;
  // Per kind, the result of the search for objects that move without a hint: the selected words,
  // where the next search begins (NULL: nothing was searched), and whether all was searched.
  struct Unhinted {
    size_t    words;
    HeapWord* cursor;
    bool      is_lap;
  } _unhinted[H2Unhinted::KindCount];

  void clear();
  void select_in_passes(WorkGang* workers, uint worker_count, int first_root, bool may_leave_out);
  void select_roots(WorkGang* workers, uint worker_count, int first_root);
  int  select_part(WorkGang* workers, int first_root, int max_roots);
  void select_rest(WorkGang* workers, size_t max_words);
  void select_unhinted_kind(WorkGang* workers, H2Unhinted::Kind kind, uint group);

 public:
  // Called once per VM.
  static void initialize(uint max_workers);

  // Needs a ResourceMark. Roots that are not due are selected until wanted_words are reached. If
  // part_words is less than room_words, at most part_words are selected.
  H2Selector(const GrowableArray<H2Tags::Root>& roots, size_t wanted_words, size_t room_words, size_t part_words);

  // Selects the closures of at most max_roots roots from first_root on, or of as many of them as
  // fit into room_words. Then selects objects that earlier parts have left, until max_rest_words
  // are selected. Returns the number of roots. If was_overfull(), the next root did not fit.
  int select(WorkGang* workers, int first_root, int max_roots, size_t max_rest_words);
  // Called after select(). Selects objects to which objects in H2 refer, until wanted_words or
  // max_words are selected. Returns whether it selected any. While due objects wait for a later part,
  // it selects none, because they may be in the closures of those. A closure that is cut here is not
  // recorded.
  bool select_grown(WorkGang* workers, size_t max_words);
  // Called after select_grown(). Does the same for objects that may move without a hint
  // (H2MoveUnhinted). Structures are selected only if there are less than enough_words without them.
  bool select_unhinted(WorkGang* workers, size_t max_words, size_t enough_words);
  // Called after the objects that were selected without a hint have moved.
  void commit_unhinted() const;

  bool is_in_parts() const        { return _selection.is_in_parts(); }
  // Prepares another attempt. It excludes an object that is larger than a part, or halves the part
  // if there is none. Returns false if the part has become too small.
  bool try_smaller_part();
  // Whether due roots were left for a later part.
  bool leaves_due_roots() const   { return _selection.leaves_due_roots(); }
  // Whether all objects that earlier parts had left were selected, and whether any were.
  bool completes_rest() const     { return _completes_rest; }
  bool has_selected_rest() const  { return _has_selected_rest; }
  // Calls function(label) for each group whose closure was cut when due objects were selected.
  template <typename Function> void cut_labels_do(Function function) const {
    for (uint group = 0; group < _groups.count(); group++) {
      if (_selection.is_cut(group)) {
        function(_groups.label(_groups.label_of(group)));
      }
    }
  }

  int    root_count() const       { return _groups.root_count(); }
  bool   was_overfull() const     { return _selection.is_overfull(); }
  size_t selected_words() const   { return _selection.words(); }
  size_t selected_objects() const { return _selection.objects(); }
  uint   group_count() const      { return _groups.count(); }
  int    label_count() const      { return _groups.label_count(); }
  uint   label_of(uint group) const { return _groups.label_of(group); }
  jlong  label(uint index) const  { return _groups.label(index); }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_SELECTION_H2SELECTOR_HPP
