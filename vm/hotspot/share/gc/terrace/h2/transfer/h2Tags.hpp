/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2TAGS_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2TAGS_HPP

#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/handles.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class Mutex;

// The hints of the program (TeraHeap, section 3.1), which are tagged roots with their labels, and
// the labels that are scheduled to move. Tags refer to their objects weakly. They are stored
// outside the heap, so object headers contain no tag.
//
// Java threads take the lock without a safepoint check. The collector runs at a safepoint, where
// no Java thread can hold it.
class H2Tags : public AllStatic {
  struct Tag;
  static const uint FirstBucketCount = 4096;

  static Mutex* _lock;
  static Tag**  _buckets;
  static uint   _bucket_count;          // a power of two; grows with the number of tags
  static int    _count;
  // All tags in the order of tagging, which is the order of transfers.
  static Tag*   _first;
  static Tag*   _last;
  static julong _postponements;
  typedef H2LabelMap<bool> Labels;
  static Labels* _due;

  static Tag** bucket_of(intptr_t hash);
  static Tag** find(intptr_t hash, oop obj);
  static Tag** link_to(const Tag* tag);
  static void  append(Tag* tag);
  static void  unlink(Tag* tag);
  static void  remove(Tag** link);
  static void  grow();
  static uint  longest_chain();

 public:
  struct Root {
    oop    object;
    jlong  label;
    bool   due;
    bool   fast;
    julong postponed;   // 0, or the number of its last postponement
    Tag*   tag;
  };

  static void initialize();

  static void tag(Handle object, jlong label);
  static void untag(Handle object);
  static void set_due(jlong label, bool due);
  // Whether the object is tagged with a label that is due.
  static bool is_due(Handle object);
  static int  count();
  // Called at a safepoint.
  static bool is_label_due(jlong label);

  // Called at a safepoint. Appends the live tagged roots in H1, except roots whose labels stay
  // in H1. Due roots come first, and among due and other roots the fast ones come first.
  // Otherwise roots are in the order of tagging. Postponed roots come last. Removes the tags of
  // dead and of moved objects.
  static void collect_roots(GrowableArray<Root>* roots);
  // Moves a root whose closure did not fit to the end of the order. Called at a safepoint, with
  // a root that collect_roots returned at the same safepoint.
  static void postpone(const Root& root);
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2TAGS_HPP
