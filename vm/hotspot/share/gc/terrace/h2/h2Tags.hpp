/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2TAGS_HPP
#define SHARE_GC_TERRACE_H2_H2TAGS_HPP

#include "gc/terrace/h2/h2LabelMap.hpp"
#include "memory/allStatic.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/handles.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class Mutex;

// The hints of TeraHeap (section 3.1): objects tagged as roots of a group,
// and the labels of groups whose move is advised. Tags hold their objects
// weakly and live beside the heap, so an object's header knows nothing of it.
//
// Java threads take the lock, without a safepoint check; the collector runs
// at a safepoint, where none of them can hold it.
class H2Tags : public AllStatic {
  struct Tag;
  static const uint FirstBucketCount = 4096;

  static Mutex* _lock;
  static Tag**  _buckets;
  static uint   _bucket_count;          // a power of two, as many as there are tags
  static int    _count;
  // All tags in the order of tagging: transfers walk over them in that order.
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
    julong postponed;   // 0, or when
    Tag*   tag;
  };

  static void initialize();

  static void tag(Handle object, jlong label);
  static void untag(Handle object);
  static void set_due(jlong label, bool due);
  // Whether the object is tagged with a label that is due.
  static bool is_due(Handle object);
  static int  count();
  // At a safepoint.
  static bool is_label_due(jlong label);

  // At a safepoint: the live tagged roots in H1, but those of labels that stay
  // there; due ones first, fast ones first within either, then in the order of
  // tagging; after all of them those that were postponed.
  // Tags of dead and of moved objects are dropped.
  static void collect_roots(GrowableArray<Root>* roots);
  // What this root reaches found no room: from now on it comes last. At a
  // safepoint, for what collect_roots gave there.
  static void postpone(const Root& root);
};

#endif // SHARE_GC_TERRACE_H2_H2TAGS_HPP
