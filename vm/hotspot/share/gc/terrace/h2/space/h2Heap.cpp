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
#include "classfile/classLoaderData.hpp"
#include "gc/terrace/h2/base/h2Calls.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LockedMemory.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2RegionListener.hpp"
#include "gc/terrace/h2/space/h2SpaceReturner.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceMemory.hpp"
#include "jvm_md.h"
#include "logging/log.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/java.hpp"
#include "utilities/formatBuffer.hpp"
#include "utilities/powerOfTwo.hpp"


H2Heap H2Heap::_heap;

const char* const H2Heap::FullError = "H2 is full";

void H2Region::add_class_loader(ClassLoaderData* cld) {
  if (!cld->is_permanent_class_loader_data()) {
    _class_loaders->add(cld);
  }
}

bool H2Region::has_class_loader(ClassLoaderData* cld) const {
  return cld->is_permanent_class_loader_data() || _class_loaders->contains(cld);
}

void H2Region::find_class_loaders_anew() {
  assert(_class_loaders_before == NULL, "once at a time");
  _class_loaders_before = _class_loaders;
  _class_loaders = new H2ClassLoaders();
}

bool H2Region::has_all_class_loaders_of_before() {
  bool has_all = true;
  for (int i = 0; _class_loaders_before != NULL && i < _class_loaders_before->length(); i++) {
    has_all = has_all && _class_loaders->contains(_class_loaders_before->at(i));
  }
  delete _class_loaders_before;
  _class_loaders_before = NULL;
  return has_all;
}

void H2Heap::reserve(HeapWord* bottom, size_t byte_size) {
  _bottom = bottom;
  _end = bottom + byte_size / HeapWordSize;
  _region_words = H2RegionSize / HeapWordSize;
  _log_region_words = log2i_exact(_region_words);
  _region_count = (uint)(byte_size / H2RegionSize);
  _free_count = _region_count;
  H2Range::set(bottom, byte_size);
}

void H2Heap::initialize(bool have_own_advice) {
  const char* const error = H2File::map((char*)_bottom, capacity(), have_own_advice);
  if (error != NULL) {
    // The value of the flag may be a long path.
    vm_exit_during_initialization(FormatBuffer<2 * JVM_MAXPATHLEN>("%s: %s", H2Storage::of_h2().flag(), error));
  }
  if (!H2StartTable::of_h2().initialize(_bottom, pointer_delta(_end, _bottom))) {
    vm_exit_during_initialization("H2Size: no address space for the object-start table; choose a smaller size");
  }
  _regions = NEW_C_HEAP_ARRAY(H2Region, _region_count, mtGC);
  memset((void*)_regions, 0, _region_count * sizeof(H2Region));
  _access = new H2Access(_region_count);
  _space_returner = new H2SpaceReturner(_region_count);
  log_info(gc, h2)("H2: %s, " SIZE_FORMAT "M in %u regions of " SIZE_FORMAT "M, compressed oops %s",
                   H2Storage::of_h2().where(), capacity() / M, _region_count, H2RegionSize / M,
                   UseCompressedOops ? "on" : "off");
}

void H2Heap::add_listener(H2RegionListener* listener) {
  listener->_next = _listeners;
  _listeners = listener;
}

bool H2Heap::is_in_used(const void* p) const {
  if (p < _bottom || p >= _end || index_of(p) >= _committed_count) {
    return false;
  }
  const H2Region* const r = head_of(p);
  return r->is_head() && p < r->top();
}

size_t H2Heap::used() const {
  size_t words = 0;
  heads_do([&](H2Region* r) { words += pointer_delta(r->top(), bottom_of(r)); });
  return words * HeapWordSize;
}

// Cards of H2 lie outside the regions that CardTable covers and commits.
static bool commit_cards(HeapWord* start, size_t words) {
  CardTable* const ct = H1Heap::card_table();
  return H2_CALL(commit, false, TerraceMemory::commit((char*)ct->byte_for(start), words / CardTable::card_size_in_words));
}

// Allocates the space of regions on the device. Returns NULL on success, else a message.
const char* H2Heap::allocate(uint first, uint count, bool zeroed) {
  char* const start = (char*)(_bottom + ((size_t)first << _log_region_words));
  const size_t bytes = count * H2RegionSize;
  const bool is_zero = _space_returner->reuse(first, count) == 0 || !zeroed || H2File::release(start, bytes) == NULL;
  bool is_full = false;
  const char* error = H2File::allocate(start, bytes, &is_full);
  if (is_full && _space_returner->return_now(count)) {
    error = H2File::allocate(start, bytes, &is_full);
  }
  // A store by the program cannot report a full device, so the space must exist now.
  if (error == NULL && zeroed && !(is_zero && H2File::allocates())) {
    error = H2File::write_zeros(start, bytes);
  }
  return error;
}

H2Region* H2Heap::open(uint run_length, jlong label, const char** error, Purpose purpose) {
  uint first = _search_start;
  uint found = 0;
  const bool has_room = run_length <= (purpose == ForEvacuation ? _free_count : open_count());
  while (has_room && found < run_length && first + run_length <= _region_count) {
    if (_regions[first + found].is_free()) {
      found++;
    } else {
      first += found + 1;
      found = 0;
    }
  }
  if (found < run_length) {
    *error = FullError;
    return NULL;
  }

  H2Region* const head = &_regions[first];
  HeapWord* const start = _bottom + ((size_t)first << _log_region_words);
  const size_t words = (size_t)run_length << _log_region_words;
  *error = allocate(first, run_length, purpose == ForProgram);
  for (; *error == NULL && _committed_count < first + run_length; _committed_count++) {
    HeapWord* const from = _bottom + ((size_t)_committed_count << _log_region_words);
    if (!commit_cards(from, _region_words) || !H2StartTable::of_h2().commit(from, _region_words)) {
      *error = "no memory for the cards of H2";
      break;
    }
    H2File::include_in_core((char*)from, _region_words * HeapWordSize);
  }
  if (*error == NULL) {
    *error = _access->allow(first, run_length);
  }
  if (*error != NULL) {
    // A failed allocation may have allocated a part of the space.
    _space_returner->freed(first, run_length);
    return NULL;
  }

  CardTable* const ct = H1Heap::card_table();
  memset(ct->byte_for(start), CardTable::clean_card_val(), words / CardTable::card_size_in_words);
  head->_state = H2Region::Head;
  head->_live = true;
  // References from outside H2 lead to its first structure. The next marking determines the value anew.
  head->_held = true;
  head->_run_length = run_length;
  head->_top = start;
  head->_label = label;
  head->_class_loaders = new H2ClassLoaders();
  for (uint i = 1; i < run_length; i++) {
    _regions[first + i]._state = H2Region::Continuation;
    _regions[first + i]._head_index = first;
  }
  for (H2RegionListener* each = _listeners; each != NULL; each = each->_next) {
    each->opened(head);
  }
  _free_count -= run_length;
  if (first == _search_start) {
    _search_start = first + run_length;
  }
  return head;
}

void H2Heap::close(H2Region* r) {
  const uint first = index_of_region(r);
  const uint run_length = r->run_length();
  for (H2RegionListener* each = _listeners; each != NULL; each = each->_next) {
    each->closed(r);
  }
  delete r->_class_loaders;
  delete r->_class_loaders_before;
  for (uint i = 0; i < run_length; i++) {
    delete _regions[first + i]._targets;
    memset((void*)&_regions[first + i], 0, sizeof(H2Region));
  }
  _free_count += run_length;
  _search_start = MIN2(_search_start, first);
}

void H2Heap::release(MemRegion space) {
  if (!space.is_empty()) {
    const uint first = index_of(space.start());
    const uint count = (uint)(space.byte_size() / H2RegionSize);
    _access->deny(first, count);
    _space_returner->freed(first, count);
  }
}

void H2Heap::free(H2Region* r) {
  release(MemRegion(bottom_of(r), end_of(r)));
  close(r);
}

void H2Heap::reset_liveness() {
  assert(_newly_live == NULL, "left over from the last marking");
  heads_do([](H2Region* r) {
    r->set_live(false);
    r->set_held(false);
    r->set_softly_held(false);
  });
}

void H2Heap::mark_live(uint head_index) {
  H2Region* const r = &_regions[head_index];
  guarantee(r->is_head(), "reference into free H2 region %u", head_index);
  if (r->claim_live()) {
    H2Region* const last = r + (r->run_length() - 1);
    for (H2Region* each = r; each < last; each++) {
      each->set_next_live(each + 1);
    }
    Atomic::add(&_newly_live_count, r->run_length());
    H2Region* head;
    do {
      head = Atomic::load(&_newly_live);
      last->set_next_live(head);
    } while (Atomic::cmpxchg(&_newly_live, head, r) != head);
  }
}

// A region enters the list at most once per marking, so the exchange cannot
// suffer from ABA.
H2Region* H2Heap::claim_newly_live() {
  H2Region* head;
  do {
    head = Atomic::load_acquire(&_newly_live);
    if (head == NULL) {
      return NULL;
    }
  } while (Atomic::cmpxchg(&_newly_live, head, head->next_live()) != head);
  Atomic::dec(&_newly_live_count);
  return head;
}

// Frees the runs for which is_free holds. One call removes access to adjacent runs.
template <typename Predicate>
uint H2Heap::free_if(Predicate is_free, const char* why) {
  const uint before = _free_count;
  MemRegion freed;
  heads_do([&](H2Region* r) {
    if (!is_free(r)) {
      return;
    }
    log_debug(gc, h2)("Region %u, label " JLONG_FORMAT ", is %s", index_of_region(r), r->label(), why);
    if (freed.end() != bottom_of(r)) {
      release(freed);
      freed = MemRegion(bottom_of(r), (size_t)0);
    }
    freed.set_end(end_of(r));
    close(r);
  });
  release(freed);
  return _free_count - before;
}

uint H2Heap::free_dead() {
  return free_if([](const H2Region* r) { return !r->is_live(); }, "dead");
}

uint H2Heap::free_evacuated() {
  return free_if([](const H2Region* r) { return r->is_evacuated(); }, "emptied");
}

HeapWord* H2Heap::block_start(const void* p) const {
  if (!is_in_used(p)) {
    return NULL;
  }
  HeapWord* block = H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index((HeapWord*)p));
  HeapWord* next = block;
  while (next <= p) {
    block = next;
    next += cast_to_oop(block)->size();
  }
  return block;
}

void H2Heap::print_on(outputStream* st) const {
  st->print_cr(" H2              total " SIZE_FORMAT "K, used " SIZE_FORMAT "K [" PTR_FORMAT ", " PTR_FORMAT ")",
               capacity() / K, used() / K, p2i(_bottom), p2i(_end));
  st->print_cr("  %u of %u regions of " SIZE_FORMAT "K in use, file in %s; it still has the space of %u free ones",
               _region_count - _free_count, _region_count, H2RegionSize / K, H2Storage::of_h2().where(), _space_returner->pending());
}
