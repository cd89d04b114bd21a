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
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/allocation.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/jniHandles.inline.hpp"
#include "runtime/mutexLocker.hpp"

struct H2Tags::Tag : public CHeapObj<mtGC> {
  jobject  weak;        // a weak global handle, which the collector clears or updates
  jlong    label;
  julong   postponed;
  intptr_t hash;
  Tag*     next;        // in its bucket
  Tag*     before;      // in the order of tagging
  Tag*     after;
};


H2Tags* H2Tags::_of_h2 = NULL;

H2Tags::H2Tags() :
  _lock(new Mutex(Mutex::leaf, "H2Tags_lock", true, Mutex::_safepoint_check_never)),
  _buckets(NEW_C_HEAP_ARRAY(Tag*, FirstBucketCount, mtGC)), _bucket_count(FirstBucketCount), _count(0), _first(NULL), _last(NULL),
  _postponements(0), _due(new H2LabelMap<bool>()) {
  memset(_buckets, 0, _bucket_count * sizeof(Tag*));
}

H2Tags::Tag** H2Tags::bucket_of(intptr_t hash) {
  return &_buckets[(julong)hash & (_bucket_count - 1)];
}

// Doubles the number of buckets. If there is no memory for them, the chains become longer.
void H2Tags::grow() {
  const uint old_count = _bucket_count;
  Tag** const old = _buckets;
  Tag** const buckets = NEW_C_HEAP_ARRAY_RETURN_NULL(Tag*, 2 * old_count, mtGC);
  if (buckets == NULL) {
    return;
  }
  memset(buckets, 0, 2 * old_count * sizeof(Tag*));
  _buckets = buckets;
  _bucket_count = 2 * old_count;
  for (uint i = 0; i < old_count; i++) {
    Tag* next;
    for (Tag* tag = old[i]; tag != NULL; tag = next) {
      next = tag->next;
      Tag** const bucket = bucket_of(tag->hash);
      tag->next = *bucket;
      *bucket = tag;
    }
  }
  FREE_C_HEAP_ARRAY(Tag*, old);
}

H2Tags::Tag** H2Tags::find(intptr_t hash, oop obj) {
  Tag** link = bucket_of(hash);
  while (*link != NULL && !((*link)->hash == hash && JNIHandles::resolve((*link)->weak) == obj)) {
    link = &(*link)->next;
  }
  return link;
}

H2Tags::Tag** H2Tags::link_to(const Tag* tag) {
  Tag** link = bucket_of(tag->hash);
  while (*link != tag) {
    link = &(*link)->next;
  }
  return link;
}

void H2Tags::append(Tag* tag) {
  tag->before = _last;
  tag->after = NULL;
  (_last == NULL ? _first : _last->after) = tag;
  _last = tag;
}

void H2Tags::unlink(Tag* tag) {
  (tag->before == NULL ? _first : tag->before->after) = tag->after;
  (tag->after == NULL ? _last : tag->after->before) = tag->before;
}

void H2Tags::remove(Tag** link) {
  Tag* const tag = *link;
  unlink(tag);
  *link = tag->next;
  JNIHandles::destroy_weak_global(tag->weak);
  delete tag;
  _count--;
}

void H2Tags::tag(Handle object, jlong label) {
  if (H2Range::contains(object())) {
    return;
  }
  const intptr_t hash = object->identity_hash();
  jobject weak = JNIHandles::make_weak_global(object);
  {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    if ((uint)_count >= _bucket_count && _bucket_count < (1u << 30)) {
      grow();
    }
    Tag** const link = find(hash, object());
    if (*link == NULL) {
      Tag* const tag = new Tag();
      tag->weak = weak;
      tag->hash = hash;
      tag->next = NULL;
      *link = tag;
      weak = NULL;
      _count++;
    } else {
      unlink(*link);
    }
    append(*link);
    (*link)->label = label;
    (*link)->postponed = 0;
  }
  if (weak != NULL) {
    JNIHandles::destroy_weak_global(weak);
  }
}

void H2Tags::untag(Handle object) {
  const intptr_t hash = object->identity_hash();
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  Tag** const link = find(hash, object());
  if (*link != NULL) {
    remove(link);
  }
}

void H2Tags::set_due(jlong label, bool due) {
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  if (due) {
    _due->put(label, true);
  } else {
    _due->remove(label);
  }
}

bool H2Tags::is_due(Handle object) {
  const intptr_t hash = object->identity_hash();
  jlong label;
  {
    MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
    Tag** const link = find(hash, object());
    if (*link == NULL || !_due->contains((*link)->label)) {
      return false;
    }
    label = (*link)->label;
  }
  return !TierPlacer::is_enabled() || TierPlacer::tier_of(label) != Tier::Heap;
}

bool H2Tags::is_label_due(jlong label) {
  assert_at_safepoint();
  return _due->contains(label) && (!TierPlacer::is_enabled() || TierPlacer::tier_at_safepoint(label) != Tier::Heap);
}

int H2Tags::count() {
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  int in_h1 = 0;
  for (const Tag* tag = _first; tag != NULL; tag = tag->after) {
    const oop obj = JNIHandles::resolve(tag->weak);
    in_h1 += obj != NULL && !H2Range::contains(obj) ? 1 : 0;
  }
  return in_h1;
}

static int by_postponement(H2Tags::Root* a, H2Tags::Root* b) {
  return a->postponed < b->postponed ? -1 : a->postponed > b->postponed;
}

uint H2Tags::longest_chain() const {
  uint longest = 0;
  for (uint i = 0; i < _bucket_count; i++) {
    uint length = 0;
    for (const Tag* tag = _buckets[i]; tag != NULL; tag = tag->next) {
      length++;
    }
    longest = MAX2(longest, length);
  }
  return longest;
}

void H2Tags::collect_roots(GrowableArray<Root>* roots) {
  assert_at_safepoint();
  // An object that two roots reach moves with the first one, so fast roots precede others
  // (Panthera, section 4.2).
  enum { DueAndFast, Due, Fast, Rest, Postponed, ClassCount };
  GrowableArrayCHeap<Root, mtGC> of_class[ClassCount];
  Tag* after;
  for (Tag* tag = _first; tag != NULL; tag = after) {
    after = tag->after;
    oop obj = JNIHandles::resolve(tag->weak);
    if (obj == NULL || H2Range::contains(obj)) {
      remove(link_to(tag));
      continue;
    }
    const Tier tier = TierPlacer::is_enabled() ? TierPlacer::tier_at_safepoint(tag->label) : Tier::Auto;
    if (tier != Tier::Heap) {
      const bool is_fast = tier == Tier::Fast;
      const Root root = { obj, tag->label, _due->contains(tag->label), is_fast, tag->postponed, tag };
      const int c = root.postponed != 0 ? Postponed : root.due ? (is_fast ? DueAndFast : Due) : is_fast ? Fast : Rest;
      of_class[c].append(root);
    }
  }
  of_class[Postponed].sort(by_postponement);
  for (int c = 0; c < ClassCount; c++) {
    for (int i = 0; i < of_class[c].length(); i++) {
      roots->append(of_class[c].at(i));
    }
  }
  log_debug(gc, h2)("Tags: %d live in %u buckets, at most %u in one", roots->length(), _bucket_count, longest_chain());
}

void H2Tags::postpone(const Root& root) {
  assert_at_safepoint();
  if (root.tag != NULL) {
    root.tag->postponed = ++_postponements;
  }
}
