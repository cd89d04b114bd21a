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
#include "gc/terrace/h2/h2Range.hpp"
#include "gc/terrace/h2/h2Tags.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/allocation.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/jniHandles.inline.hpp"
#include "runtime/mutexLocker.hpp"

struct H2Tags::Tag : public CHeapObj<mtGC> {
  jobject  weak;        // a weak global handle: the collector clears and moves it
  jlong    label;
  julong   sequence;
  julong   postponed;
  intptr_t hash;
  Tag*     next;
};

Mutex*       H2Tags::_lock = NULL;
H2Tags::Tag** H2Tags::_buckets = NULL;
uint         H2Tags::_bucket_count = FirstBucketCount;
int          H2Tags::_count = 0;
julong       H2Tags::_next_sequence = 0;
julong       H2Tags::_postponements = 0;
H2Tags::Labels* H2Tags::_due = NULL;

void H2Tags::initialize() {
  _lock = new Mutex(Mutex::leaf, "H2Tags_lock", true, Mutex::_safepoint_check_never);
  _buckets = NEW_C_HEAP_ARRAY(Tag*, _bucket_count, mtGC);
  memset(_buckets, 0, _bucket_count * sizeof(Tag*));
  _due = new (ResourceObj::C_HEAP, mtGC) Labels();
}

H2Tags::Tag** H2Tags::bucket_of(intptr_t hash) {
  return &_buckets[(julong)hash & (_bucket_count - 1)];
}

// Twice as many buckets. Without memory for them the chains get longer.
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

void H2Tags::remove(Tag** link) {
  Tag* const tag = *link;
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
    }
    (*link)->label = label;
    (*link)->sequence = _next_sequence++;
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
  return _count;
}

static int by_order(H2Tags::Root* a, H2Tags::Root* b) {
  if (a->postponed != b->postponed) {
    return a->postponed < b->postponed ? -1 : 1;
  }
  if (a->due != b->due) {
    return a->due ? -1 : 1;
  }
  // What two roots reach goes with the first one: fast wins (Panthera, section 4.2).
  if (a->fast != b->fast) {
    return a->fast ? -1 : 1;
  }
  return a->sequence < b->sequence ? -1 : 1;
}

void H2Tags::collect_roots(GrowableArray<Root>* roots) {
  assert_at_safepoint();
  uint longest = 0;
  for (uint i = 0; i < _bucket_count; i++) {
    uint length = 0;
    Tag** link = &_buckets[i];
    while (*link != NULL) {
      longest = MAX2(longest, ++length);
      Tag* const tag = *link;
      oop obj = JNIHandles::resolve(tag->weak);
      if (obj == NULL || H2Range::contains(obj)) {
        remove(link);
        continue;
      }
      const Tier tier = TierPlacer::is_enabled() ? TierPlacer::tier_at_safepoint(tag->label) : Tier::Auto;
      if (tier != Tier::Heap) {
        const Root root = { obj, tag->label, tag->sequence, _due->contains(tag->label), tier == Tier::Fast, tag->postponed, tag };
        roots->append(root);
      }
      link = &tag->next;
    }
  }
  roots->sort(by_order);
  log_debug(gc, h2)("Tags: %d live in %u buckets, at most %u in one", roots->length(), _bucket_count, longest);
}

void H2Tags::postpone(const Root& root) {
  assert_at_safepoint();
  if (root.tag != NULL) {
    root.tag->postponed = ++_postponements;
  }
}
