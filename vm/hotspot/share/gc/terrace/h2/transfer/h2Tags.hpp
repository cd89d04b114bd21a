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
#include "memory/allocation.hpp"
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
class H2Tags : public CHeapObj<mtGC> {
  struct Tag;
  static const uint FirstBucketCount = 4096;

  static H2Tags* _of_h2;

  Mutex* const _lock;
  Tag**  _buckets;
  uint   _bucket_count;          // a power of two; grows with the number of tags
  int    _count;                 // including tags of dead and of moved objects
  // All tags in the order of tagging, which is the order of transfers.
  Tag*   _first;
  Tag*   _last;
  julong _postponements;
  H2LabelMap<bool>* const _due;

  NONCOPYABLE(H2Tags);

  H2Tags();
  Tag** bucket_of(intptr_t hash);
  Tag** find(intptr_t hash, oop obj);
  Tag** link_to(const Tag* tag);
  void  append(Tag* tag);
  void  unlink(Tag* tag);
  void  remove(Tag** link);
  void  grow();
  uint  longest_chain() const;

 public:
  struct Root {
    oop    object;
    jlong  label;
    bool   due;
    bool   fast;
    julong postponed;   // 0, or the number of its last postponement
    Tag*   tag;
  };

  static void initialize()      { _of_h2 = new H2Tags(); }
  static H2Tags& of_h2()        { return *_of_h2; }

  void tag(Handle object, jlong label);
  void untag(Handle object);
  void set_due(jlong label, bool due);
  // Whether the object is tagged with a label that is due.
  bool is_due(Handle object);
  // The tagged objects that are in H1. Looks at each tag, because tags of dead and of moved objects stay until the next transfer.
  int  count();
  // Called at a safepoint.
  bool is_label_due(jlong label);

  // Called at a safepoint. Appends the live tagged roots in H1, except roots whose labels stay
  // in H1. Due roots come first, and among due and other roots the fast ones come first.
  // Otherwise roots are in the order of tagging. Postponed roots come last. Removes the tags of
  // dead and of moved objects.
  void collect_roots(GrowableArray<Root>* roots);
  // Moves a root whose closure did not fit to the end of the order. Called at a safepoint, with
  // a root that collect_roots returned at the same safepoint.
  void postpone(const Root& root);
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2TAGS_HPP
