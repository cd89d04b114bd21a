/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2SELECTOR_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2SELECTOR_HPP

#include "gc/shared/taskqueue.hpp"
#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/h2/liveness/h2Eligibility.hpp"
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "memory/allocation.hpp"
#include "oops/oopsHierarchy.hpp"
#include "utilities/growableArray.hpp"

class H2Region;
class Mutex;
class WorkGang;

// Selects the closures of roots into H2Forwarding. This is the first phase of a transfer.
// Each root has a group. If there are too many roots, those of one label that were tagged one
// after the other share a group. An object that is reached from roots of several groups belongs
// to the group for which a worker first claims it. Fast roots come before others.
//
// If the pause has a time goal, a part of a closure may be selected. The other objects stay in H1
// until a later transfer uses the slots of H2 that refer to them as roots (H2Rest).
class H2Selector : public StackObj {
  friend class H2SelectTask;
  friend class H2SelectRootsTask;
  friend class H2SelectGrownTask;
  friend class H2SelectUnhintedTask;
  friend class H2SelectClosure;
  friend class H2GrownClosure;

 public:
  // A unit of pending scan work: one object, or an array from an index on, together with the
  // group that it is selected for. The block of the object may belong to another group.
  struct Item {
    HeapWord* object;
    uint      group;
    int       index;
  };
  typedef OverflowTaskQueue<Item, mtGC, 1 << 14> Queue;

 private:
  // Roots are ordered as due and fast, due, fast, and others.
  static const int MaxPasses = 4;
  // The maximum number of groups for a label with many roots.
  static const int RootGroups = 32 * K;

  typedef GenericTaskQueueSet<Queue, mtGC> QueueSet;
  static QueueSet* _queues;

  const GrowableArray<H2Tags::Root>& _roots;
  H2SharedObjects      _shared;
  // Guards the addition of groups by workers.
  Mutex                _lock;
  GrowableArray<jlong> _labels;           // without duplicates
  GrowableArray<uint>  _label_of_group;   // index in _labels
  GrowableArray<uint>  _groups;           // the group of each root
  struct Last {
    uint label;
    uint group;
    int  roots;
  };
  H2LabelMap<Last>     _last_of_label;
  // The regions whose slots are followed.
  GrowableArray<H2Region*> _grown;
  H2LabelMap<uint>     _groups_without_root;    // by label
  bool                 _grown_is_rest;    // only slots of labels in H2Rest are followed
  size_t               _wanted_words;
  size_t               _room_words;
  size_t               _part_words;       // the maximum for this collection; without a maximum not below _room_words
  size_t               _limit_words;      // the maximum for the current pass
  bool                 _takes_larger;     // a single object may exceed the part
  int                  _root_end;
  volatile int         _claimed;
  volatile size_t      _words;
  volatile size_t      _objects;
  volatile bool        _overfull;
  // With parts: whether due objects were left for a later part, and the groups whose closures
  // were cut by that.
  volatile bool        _has_rest;
  volatile bool*       _is_cut;
  uint                 _max_groups;       // an upper bound, with parts
  bool                 _leaves_rest;      // objects that this pass leaves out are due
  volatile bool        _left_out;         // this pass left out an object
  bool                 _completes_rest;   // all objects that earlier transfers left are selected
  bool                 _has_selected_rest;
  // Per kind, the result of the search for objects that move without a hint: the selected words,
  // where the next search begins (NULL: nothing was searched), and whether all was searched.
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
  // max_words are selected. Returns whether it selected any.
  bool select_grown(WorkGang* workers, size_t max_words);
  // Called after select_grown(). Does the same for objects that may move without a hint
  // (H2MoveUnhinted). Structures are selected only if there are less than enough_words without them.
  bool select_unhinted(WorkGang* workers, size_t max_words, size_t enough_words);
  // Called after the objects that were selected without a hint have moved.
  void commit_unhinted() const;

  bool is_in_parts() const        { return _part_words < _room_words; }
  // Prepares another attempt. It excludes an object that is larger than a part, or halves the part
  // if there is none. Returns false if the part has become too small.
  bool try_smaller_part();
  // Whether only a part of the due objects was selected.
  bool has_rest() const           { return _has_rest; }
  // Whether all objects that earlier parts had left were selected, and whether any were.
  bool completes_rest() const     { return _completes_rest; }
  bool has_selected_rest() const  { return _has_selected_rest; }
  // Calls function(label) for each group whose closure was cut.
  template <typename Function> void cut_labels_do(Function function) const {
    for (int group = 0; is_in_parts() && group < _label_of_group.length(); group++) {
      if (_is_cut[group]) {
        function(_labels.at((int)_label_of_group.at(group)));
      }
    }
  }

  int    root_count() const       { return _groups.length(); }
  bool   was_overfull() const     { return _overfull; }
  size_t selected_words() const   { return _words; }
  size_t selected_objects() const { return _objects; }
  uint   group_count() const      { return (uint)_label_of_group.length(); }
  int    label_count() const      { return _labels.length(); }
  uint   label_of(uint group) const { return _label_of_group.at((int)group); }
  jlong  label(uint index) const  { return _labels.at((int)index); }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2SELECTOR_HPP
