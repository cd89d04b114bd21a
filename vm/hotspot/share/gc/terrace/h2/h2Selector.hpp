/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2SELECTOR_HPP
#define SHARE_GC_TERRACE_H2_H2SELECTOR_HPP

#include "gc/shared/taskqueue.hpp"
#include "gc/terrace/h2/h2Eligibility.hpp"
#include "gc/terrace/h2/h2LabelMap.hpp"
#include "gc/terrace/h2/h2Tags.hpp"
#include "gc/terrace/h2/h2Unhinted.hpp"
#include "memory/allocation.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class Mutex;
class WorkGang;

// Selects closures of roots into H2Forwarding: the first phase of a transfer.
// A root makes a group, or shares it with roots of its label tagged before and
// after it if there are too many. An object reached from roots of several
// groups goes with the worker that claims it first; fast roots come before others.
//
// If the pause has a goal, what is selected may be a part of a closure: objects that
// are left out stay in H1 until the slots of H2 that refer to them are roots of
// a later transfer (H2Rest).
class H2Selector : public StackObj {
  friend class H2SelectTask;
  friend class H2SelectRootsTask;
  friend class H2SelectGrownTask;
  friend class H2SelectUnhintedTask;
  friend class H2SelectClosure;
  friend class H2GrownClosure;

 public:
  // What is left to scan: an object, or an array from an index on, in the name
  // of a group. The block of the object may belong to another group.
  struct Item {
    HeapWord* object;
    uint      group;
    int       index;
  };
  typedef OverflowTaskQueue<Item, mtGC, 1 << 14> Queue;

 private:
  // Due and fast, due, fast, and the rest.
  static const int MaxPasses = 4;
  // A label with many roots gets no more groups than this.
  static const int RootGroups = 32 * K;

  typedef GenericTaskQueueSet<Queue, mtGC> QueueSet;
  static QueueSet* _queues;

  const GrowableArray<H2Tags::Root>& _roots;
  H2SharedObjects      _shared;
  // Workers add groups for what they find, under the lock.
  Mutex                _lock;
  GrowableArray<jlong> _labels;           // each once
  GrowableArray<uint>  _label_of_group;   // index in _labels
  GrowableArray<uint>  _groups;           // of each root
  struct Last {
    uint label;
    uint group;
    int  roots;
  };
  H2LabelMap<Last>     _last_of_label;
  // Regions whose slots are followed.
  GrowableArray<H2Region*> _grown;
  H2LabelMap<uint>     _groups_without_root;    // by label
  bool                 _grown_is_rest;    // of labels in H2Rest alone
  size_t               _wanted_words;
  size_t               _room_words;
  size_t               _part_words;       // that this collection moves at most, or more than there is room for
  size_t               _limit_words;      // of this pass
  bool                 _takes_larger;     // an object alone, than a part
  int                  _root_end;
  volatile int         _claimed;
  volatile size_t      _words;
  volatile size_t      _objects;
  volatile bool        _overfull;
  // With parts: whether something waits for another one, and of which groups an
  // object that was selected refers to it.
  volatile bool        _has_rest;
  volatile bool*       _is_cut;
  uint                 _max_groups;       // that there can be, with parts
  bool                 _leaves_rest;      // in this pass; else what is left out is not due
  volatile bool        _left_out;         // something, in this pass
  bool                 _completes_rest;   // of earlier transfers
  bool                 _has_selected_rest;
  // What moves without a hint, by kind: how much it is, where to look next (NULL: there
  // is nowhere to look), and whether everything was looked at.
  struct Unhinted {
    size_t    words;
    HeapWord* cursor;
    bool      is_lap;
  } _unhinted[H2Unhinted::KindCount];

  void make_groups();
  bool is_grown(jlong label) const;
  void find_grown(bool is_rest);
  uint group_without_root(jlong label);
  void clear();
  void select_in_passes(WorkGang* workers, uint worker_count, int first_root, bool may_leave_out);
  void select_roots(WorkGang* workers, uint worker_count, int first_root);
  int  select_part(WorkGang* workers, int first_root, int max_roots);
  void select_rest(WorkGang* workers, size_t max_words);
  void select_unhinted_kind(WorkGang* workers, H2Unhinted::Kind kind, uint group);

 public:
  // Once per VM.
  static void initialize(uint max_workers);

  // Needs a ResourceMark. Roots that are not due move until wanted_words are
  // selected, and if part_words are less than room_words, no more than these.
  H2Selector(const GrowableArray<H2Tags::Root>& roots, size_t wanted_words, size_t room_words, size_t part_words);

  // Selects what roots from the first on reach, at most max_roots of them, if
  // that is at most room_words, else as many of them as fit; and what earlier parts
  // have left, until max_rest_words are selected. Returns how many roots it took: if
  // was_overfull(), the next one was too much.
  int select(WorkGang* workers, int first_root, int max_roots, size_t max_rest_words);
  // After that, if less than wanted_words are selected, selects of what objects in
  // H2 refer to until so many are, or max_words. Returns whether it found any.
  bool select_grown(WorkGang* workers, size_t max_words);
  // After that, the same of what may move without a hint (H2MoveUnhinted);
  // structures only if less than enough_words are selected without them.
  bool select_unhinted(WorkGang* workers, size_t max_words, size_t enough_words);
  // What was selected has moved.
  void commit_unhinted() const;

  bool is_in_parts() const        { return _part_words < _room_words; }
  // Without an object that is larger than a part, or with half of it. Returns false
  // if little of it is left.
  bool try_smaller_part();
  // Whether only a part of what is due was selected.
  bool has_rest() const           { return _has_rest; }
  // Whether all that earlier parts had left was selected, and whether any of it was.
  bool completes_rest() const     { return _completes_rest; }
  bool has_selected_rest() const  { return _has_selected_rest; }
  // Calls function(label) for those whose structures were cut.
  template <typename Function> void cut_labels_do(Function function) const {
    for (int group = 0; is_in_parts() && group < _label_of_group.length(); group++) {
      if (_is_cut[group]) {
        function(_labels.at((int)_label_of_group.at(group)));
      }
    }
  }

  // Those that have a group; others wait for another transfer.
  int    root_count() const       { return _groups.length(); }
  bool   was_overfull() const     { return _overfull; }
  size_t selected_words() const   { return _words; }
  size_t selected_objects() const { return _objects; }
  uint   group_count() const      { return (uint)_label_of_group.length(); }
  int    label_count() const      { return _labels.length(); }
  uint   label_of(uint group) const { return _label_of_group.at((int)group); }
  jlong  label(uint index) const  { return _labels.at((int)index); }
};

#endif // SHARE_GC_TERRACE_H2_H2SELECTOR_HPP
