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
#include "classfile/classLoaderData.inline.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Compaction.inline.hpp"
#include "gc/terrace/h2/collector/h1Heap.inline.hpp"
#include "gc/terrace/h2/collector/h1Marks.inline.hpp"
#include "gc/terrace/h2/collector/h1Workers.inline.hpp"
#include "gc/terrace/h2/liveness/h2Card.hpp"
#include "gc/terrace/h2/liveness/h2CardPages.hpp"
#include "gc/terrace/h2/liveness/h2CardsAhead.hpp"
#include "gc/terrace/h2/liveness/h2Cards.hpp"
#include "gc/terrace/h2/liveness/h2CoveringObjects.hpp"
#include "gc/terrace/h2/liveness/h2Dependencies.hpp"
#include "gc/terrace/h2/liveness/h2Eligibility.hpp"
#include "gc/terrace/h2/liveness/h2Owners.hpp"
#include "gc/terrace/h2/liveness/h2WorkerCounts.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/marking/h2MarkingRuns.hpp"
#include "gc/terrace/h2/paging/h2PauseReads.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/h2Region.inline.hpp"
#include "gc/terrace/h2/space/h2StartTable.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "logging/log.hpp"
#include "memory/iterator.inline.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"

typedef CardTable::CardValue CardValue;

H2Cards* H2Cards::_of_h2 = NULL;

H2Cards::H2Cards() :
  _claimed(0), _statics(NULL), _knows_targets(false), _has_expanded(false), _scavenged("Scan cards", "cards", ParallelGCThreads),
  _marked("Mark from regions", "cards", ParallelGCThreads), _adjusted("Adjust cards", "cards", ParallelGCThreads),
  _looked_up("Look up objects on cards", "objects", ParallelGCThreads), _scavenge_count(0) {}

static void log_and_clear(H2WorkerCounts& counts) {
  counts.log(H1Heap::active_workers());
  counts.clear();
}

void H2Cards::reset_claims() {
  assert(H1Heap::young_card_val() == H2Card::Young, "what copying writes");
  assert(CardTable::dirty_card_val() == H2Card::Dirty, "what the barrier writes");
  assert(CardTable::clean_card_val() == H2Card::Clean, "what a new table holds");
  _claimed = 0;
}

void H2Cards::collect_static_objects() {
  if (_statics == NULL && H2Heap::heap().free_count() < H2Heap::region_count()) {
    _statics = new H2StaticObjects();
    log_debug(gc, h2)("Permanent classes keep %d objects", _statics->count());
  }
}

void H2Cards::end_major_collection() {
  log_and_clear(_adjusted);
  H2CardPages::of_h2().end_adjust();
  delete _statics;
  _statics = NULL;
}

// A target that classes no longer keep may be dead, because a store of null does not
// change the state of the card.
bool H2Cards::are_targets_static(const H2Region* r) const {
  return r->targets() == NULL ||
         r->targets()->are_all(H1Heap::major_collections(), [this](oop target) { return _statics->contains(target); });
}

void H2Cards::set_old(void* slot) {
  CardValue* const card = H1Heap::card_table()->byte_for(slot);
  if (*card == H2Card::Clean || *card == H2Card::Remembered) {
    *card = H2Card::Old;
  }
}

H2Region* H2Cards::claim_next() {
  const uint count = H2Heap::heap().committed_count();
  while (Atomic::load(&_claimed) < count) {
    const uint index = Atomic::fetch_and_add(&_claimed, 1u);
    if (index < count && !H2Heap::region(index)->is_free()) {
      return H2Heap::region(index);
    }
  }
  return NULL;
}

// Like claim_next(), for the regions that a minor collection scans.
H2Region* H2Cards::claim_to_scavenge() {
  const uint count = H2CardPages::of_h2().region_count();
  while (Atomic::load(&_claimed) < count) {
    const uint i = Atomic::fetch_and_add(&_claimed, 1u);
    if (i < count) {
      const uint index = H2CardPages::of_h2().region_at(i);
      if (!H2Heap::region(index)->is_free()) {
        return H2Heap::region(index);
      }
      H2CardPages::of_h2().found_free(index);
    }
  }
  return NULL;
}

// Calls function(first, end) for the cards of each page of r that is in the set.
template <typename Function>
static void pages_do(H2Region* r, H2CardPages::Set set, Function function) {
  CardTable* const ct = H1Heap::card_table();
  const MemRegion used = H2Heap::used_part(r);
  if (!used.is_empty()) {
    H2CardPages::of_h2().pages_do(set, ct->byte_for(used.start()), ct->byte_for(used.last()) + 1, function);
  }
}

// Calls function(card, range of words) for the cards of r that are not clean and for whose states wanted(value) holds. Such
// a card must be on a page of the set. The function is called later than wanted, when the states of some more cards were read.
template <typename Wanted, typename Function>
static void cards_do(H2Region* r, H2CardPages::Set set, Wanted wanted, Function function) {
  HeapWord* const used_end = H2Heap::used_part(r).end();
  auto card_do = [&](CardValue* card) {
    HeapWord* const start = H1Heap::card_table()->addr_for(card);
    function(card, MemRegion(start, MIN2(start + CardTable::card_size_in_words, used_end)));
  };
  H2CardsAhead<decltype(card_do)> ahead(card_do);
  // Regions and pages consist of whole rows.
  pages_do(r, set, [&](CardValue* first, CardValue* end) {
    H2Card::unclean_do(first, end, [&](CardValue* card) {
      if (wanted(*card)) {
        ahead.add(card);
      }
    });
  });
}

// The pages with cards that a major collection reads.
static H2CardPages::Set set_to_read(bool skip_remembered) {
  return skip_remembered ? H2CardPages::Unremembered : H2CardPages::Unclean;
}

// Calls function for cards whose slots may refer to H1. Remembered cards can be skipped,
// because their only targets in H1 are the region's targets.
template <typename Function>
static void cards_to_h1_do(H2Region* r, bool skip_remembered, bool skip_old, Function function) {
  cards_do(r, set_to_read(skip_remembered), [=](CardValue v) {
    return !(skip_remembered && v == H2Card::Remembered) && !(skip_old && v == H2Card::Old);
  }, function);
}

// For a store into a field, the barrier marks the card of the object's header. This function
// marks the cards of the other fields too, so that a major collection can scan cards one by one. A second call in a
// collection treats a card that the first one has marked as written, and marks one card more.
static void expand_imprecise_marks(H2Region* r) {
  CardTable* const ct = H1Heap::card_table();
  const MemRegion used = H2Heap::used_part(r);
  const CardValue* marked_here = NULL;
  cards_do(r, H2CardPages::ToScavenge, [](CardValue v) { return v == H2Card::Dirty; }, [&](CardValue* card, MemRegion words) {
    // The program has not written the object in which a card ends that was marked here.
    if (words.end() == used.end() || card == marked_here) {
      return;
    }
    HeapWord* const start = H2StartTable::of_h2().object_covering(H2StartTable::of_h2().card_index(words.end()));
    if (start >= words.start() && start < words.end()) {
      oop obj = cast_to_oop(start);
      if (obj->is_instance()) {
        assert(start + obj->size() <= used.end(), "only arrays lie in two regions");
        CardValue* const last = ct->byte_for(start + obj->size() - 1);
        marked_here = *last != H2Card::Dirty ? last : NULL;
        for (CardValue* c = card + 1; c <= last; c++) {
          *c = H2Card::Dirty;
        }
        H2CardPages::of_h2().add(card, last);
      }
    }
  });
}

// Iterates over the slots of objects that are not garbage and for which is_due(address) holds.
// Returns the last object.
template <typename Closure, typename IsDue>
static HeapWord* slots_do(MemRegion words, H2CoveringObjects& covering, Closure* cl, IsDue is_due) {
  const H2Region* const head = H2Heap::head_of(words.start());
  HeapWord* last;
  HeapWord* p = covering.at(words.start());
  do {
    oop obj = cast_to_oop(p);
    const size_t size = obj->size();
    if (!obj->is_typeArray() && !H2LiveMap::of_h2().is_garbage(head, p) && is_due(p)) {
      obj->oop_iterate(cl, words);
    }
    last = p;
    p += size;
  } while (p < words.end());
  covering.found(last, p);
  return last;
}

template <typename Closure>
static HeapWord* slots_do(MemRegion words, H2CoveringObjects& covering, Closure* cl) {
  return slots_do(words, covering, cl, [](HeapWord*) { return true; });
}

// Classifies the targets of the slots on a card.
class H2SlotClosure : public BasicOopIterateClosure {
  uint _head_index;

 protected:
  H2SlotClosure(H2Region* r) { set_region(r); }
  H2SlotClosure() : _head_index(0) {}

  void set_region(H2Region* r) { _head_index = H2Heap::index_of_region(H2Heap::head_of_run(r)); }

  // Returns true if the target is in H2. Then nothing else remains to be done for the slot.
  bool record_dependency(oop obj) {
    if (!H2Range::contains(obj)) {
      return false;
    }
    const uint target = H2Heap::head_index_of(obj);
    if (target != _head_index) {
      H2Dependencies::of_h2().add(_head_index, target);
    }
    return true;
  }
};

class H2ScavengeClosure : public H2SlotClosure {
  static const int MaxSlots = CardTable::card_size / sizeof(narrowOop);
  void* _young_slots[MaxSlots];
  int   _young_count;
  bool  _refers_to_h1;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop obj = CompressedOops::decode_not_null(heap_oop);
    if (record_dependency(obj)) {
      return;
    }
    _refers_to_h1 = true;
    if (H1ScavengeWorker::copies_target(p)) {
      _young_slots[_young_count++] = p;
    }
  }

 public:
  H2ScavengeClosure() : _young_count(0), _refers_to_h1(false) {}

  using H2SlotClosure::set_region;
  void start_card()                 { _young_count = 0; _refers_to_h1 = false; }
  bool refers_to_h1() const         { return _refers_to_h1; }
  bool refers_to_young() const      { return _young_count != 0; }

  template <typename T> void push(H1ScavengeWorker* worker) {
    for (int i = 0; i < _young_count; i++) {
      worker->push((T*)_young_slots[i]);
    }
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

// Scans cards for a minor collection, those of a region in the order of their addresses. For a store into a field, the barrier
// marks the card of the object's header. So after a dirty card, the scan also covers the rest of the last object on it.
class H2CardScavenger : public StackObj {
  H1ScavengeWorker* const _worker;
  const bool        _keeps_written;
  H2NullSlices&     _null_slices;
  H2ScavengeClosure _cl;
  H2CoveringObjects _covering;
  HeapWord*         _used_end;  // of the region of the last card
  CardValue*        _next;      // cards of this region before this one are done
  uint              _region;
  size_t            _count;
  size_t            _with_young;

  static HeapWord* start_of(CardValue* card) { return H1Heap::card_table()->addr_for(card); }

  void enter(uint index) {
    H2Region* const r = H2Heap::region(index);
    _region = index;
    _used_end = H2Heap::used_part(r).end();
    _next = NULL;
    _cl.set_region(r);
  }

  // Scans the words of the card that are before end. is_whole: these are all its words in use. Otherwise, a card that is
  // clean stays clean if no slot there refers to H1. Returns the last object there.
  HeapWord* scan(CardValue* card, HeapWord* end, bool is_whole) {
    _cl.start_card();
    HeapWord* const last = slots_do(MemRegion(start_of(card), MIN3(start_of(card + 1), end, _used_end)), _covering, &_cl);
    _null_slices.written(card);
    // A target may be promoted now, so the card is old until a worker finds otherwise.
    const bool is_old = _cl.refers_to_h1() || _keeps_written;
    if (is_old || is_whole) {
      Atomic::release_store(card, (CardValue)(is_old ? H2Card::Old : H2Card::Clean));
    }
    if (is_old && !is_whole) {
      H2CardPages::of_h2().add(card, card);     // this page may have been read before
    }
    if (_cl.refers_to_young()) {
      H2CardPages::of_h2().stays_young(card);
      _with_young++;
    }
    if (UseCompressedOops) {
      _cl.push<narrowOop>(_worker);
    } else {
      _cl.push<oop>(_worker);
    }
    _count++;
    return last;
  }

 public:
  H2CardScavenger(H1ScavengeWorker* worker) :
    _worker(worker), _keeps_written(H2AheadMarker::is_marking()), _null_slices(H2Cards::of_h2().null_slices()),
    _used_end(NULL), _next(NULL), _region(max_juint), _count(0), _with_young(0) {}

  static bool is_due(CardValue v) { return v == H2Card::Dirty || v == H2Card::Young; }

  size_t count() const            { return _count; }
  size_t with_young() const       { return _with_young; }
  size_t looked_up() const        { return _covering.looked_up(); }

  void scavenge(CardValue* card) {
    const uint index = H2Heap::index_of(start_of(card));
    if (index != _region) {
      enter(index);
    }
    if (card < _next) {
      return;
    }
    HeapWord* stored_end = NULL;        // of an object that the program may have stored into
    do {
      const CardValue state = *card;
      HeapWord* const last = is_due(state) ? scan(card, _used_end, true) : scan(card, stored_end, false);
      if (state == H2Card::Dirty && last >= start_of(card) && cast_to_oop(last)->is_instance()) {
        stored_end = MAX2(stored_end, last + cast_to_oop(last)->size());
      }
      _next = ++card;
    } while (start_of(card) < stored_end);
  }
};

void H2Cards::scavenge(H1ScavengeWorker* worker) {
  const jlong start = os::javaTimeNanos();
  H2CardPages& card_pages = H2CardPages::of_h2();
  H2CardScavenger scavenger(worker);
  auto scavenge_card = [&](CardValue* card) { scavenger.scavenge(card); };
  // For cards of several regions, most of which may have only one.
  H2CardsAhead<decltype(scavenge_card)> ahead(scavenge_card);
  size_t pages = 0;
  size_t in_vain = 0;
  H2Region* r;
  while ((r = claim_to_scavenge()) != NULL) {
    pages_do(r, H2CardPages::ToScavenge, [&](CardValue* first, CardValue* end) {
      H2Card::Found found = { false, false };
      bool has_due = false;
      H2Card::unclean_do(first, end, [&](CardValue* card) {
        const CardValue state = *card;
        found.has_unclean = true;
        found.has_unremembered = found.has_unremembered || state != H2Card::Remembered;
        if (H2CardScavenger::is_due(state)) {
          ahead.add(card);
          has_due = true;
        }
      });
      card_pages.scavenged(first, end, found, has_due);
      pages += card_pages.pages(first, end);
      in_vain += has_due ? 0 : card_pages.pages(first, end);
    });
    worker->drain();
  }
  ahead.flush();
  worker->drain();
  H2Statistics::add(H2Statistics::MinorScanNanos, os::javaTimeNanos() - start);
  H2Statistics::add(H2Statistics::MinorScannedCards, (jlong)scavenger.count());
  card_pages.count(pages, in_vain, scavenger.with_young());
  _scavenged.add(worker->index(), scavenger.count());
  _looked_up.add(worker->index(), scavenger.looked_up());
  scavenge_ended();
}

// No hook follows the scans of all workers, so the last worker ends the phase.
void H2Cards::scavenge_ended() {
  if (Atomic::add(&_scavenge_count, 1u) == H1Heap::active_workers()) {
    _scavenge_count = 0;
    log_and_clear(_scavenged);
    log_and_clear(_looked_up);
    H2PauseReads::end(H2Statistics::MinorReadBytes);
    H2CardPages::of_h2().end_scavenge();
  }
}

class H2MarkClosure : public H2SlotClosure {
  H1MarkWorker* const    _worker;
  const H2StaticObjects& _statics;
  HeapWord*              _highest_target;
  bool                   _only_statics;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop obj = CompressedOops::decode_not_null(heap_oop);
    if (record_dependency(obj)) {
      // mark_and_push would treat it as a reference from outside of H2.
      H2Heap::heap().mark_live(H2Heap::head_index_of(obj));
    } else {
      _highest_target = MAX2(_highest_target, cast_from_oop<HeapWord*>(obj));
      _only_statics = _only_statics && _statics.contains(obj);
      if (H1Marks::is_unmarked(obj)) {
        H2Owners::of_h2().found_target(obj);
      }
      _worker->mark_and_push(p);
    }
  }

 public:
  H2MarkClosure(H2Region* r, const H2StaticObjects& statics, H1MarkWorker* worker) :
    H2SlotClosure(r), _worker(worker), _statics(statics), _highest_target(NULL), _only_statics(true) {}

  void start_card()                 { _highest_target = NULL; _only_statics = true; }
  // With static targets only, adjustment must scan the card, which may become remembered or clean.
  HeapWord* highest_target() const  { return _only_statics ? (HeapWord*)max_uintx : _highest_target; }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

void H2Cards::mark_from(H2Region* r, H1MarkWorker* worker) {
  if (r->is_head()) {
    H2Dependencies::of_h2().each_do(H2Heap::index_of_region(r), [](uint head) { H2Heap::heap().mark_live(head); });
    r->class_loaders_do([=](ClassLoaderData* cld) {
      oop holder = cld->holder_no_keepalive();
      worker->mark_and_push(&holder);
    });
  }
  expand_imprecise_marks(r);
  const bool skip_remembered = are_targets_static(r);
  H2MarkClosure cl(r, *_statics, worker);
  H2CoveringObjects covering;
  jlong scanned = 0;
  HeapWord* highest_target = NULL;
  cards_to_h1_do(r, skip_remembered, false, [&](CardValue* card, MemRegion words) {
    cl.start_card();
    slots_do(words, covering, &cl);
    if (*card == H2Card::Old) {
      highest_target = MAX2(highest_target, cl.highest_target());
    }
    scanned++;
  });
  r->set_highest_target(highest_target);
  H2Statistics::add(H2Statistics::MajorScannedCards, scanned);
  _marked.add(worker->index(), (size_t)scanned);
}

void H2Cards::end_marking(bool was_deep) {
  _knows_targets = !was_deep;
  _has_expanded = !was_deep;    // a marking through H2 reads objects instead of cards
  log_and_clear(_marked);
}

void H2Cards::slots_to_h1_do(H2Region* head, BasicOopIterateClosure* cl) {
  for (uint i = 0; i < head->run_length(); i++) {
    H2Region* const r = head + i;
    if (!_has_expanded) {
      expand_imprecise_marks(r);
    }
    H2CoveringObjects covering;
    cards_to_h1_do(r, are_targets_static(r), false, [&](CardValue* card, MemRegion words) { slots_do(words, covering, cl); });
  }
}

H2Cards::Rescanned H2Cards::rescan(H2Region* r, BasicOopIterateClosure* cl) {
  Rescanned rescanned = { 0, 0 };
  H2CoveringObjects covering;
  expand_imprecise_marks(r);
  cards_to_h1_do(r, are_targets_static(r), false, [&](CardValue* card, MemRegion words) {
    rescanned.cards++;
    slots_do(words, covering, cl, [&](HeapWord* p) {
      const bool is_marked = H2MarkingRuns::current().is_marked(p);
      rescanned.objects += is_marked ? 1 : 0;
      return is_marked;
    });
  });
  return rescanned;
}

class H2AdjustClosure : public H2SlotClosure {
  H1AdjustWorker* const  _worker;
  const H2StaticObjects& _statics;
  H2Region* const        _region;
  H2CoveringObjects      _covering;
  bool _refers_to_old;
  bool _refers_to_young;
  bool _remembered;         // all targets in the old generation so far

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop before = CompressedOops::decode_not_null(heap_oop);
    if (record_dependency(before)) {
      return;
    }
    _worker->adjust(p);
    oop obj = RawAccess<IS_NOT_NULL>::oop_load(p);
    if (record_dependency(obj)) {
      return;
    }
    if (H1Heap::is_in_young(obj)) {
      _refers_to_young = true;
    } else {
      _refers_to_old = true;
      _remembered = _remembered && remember(before, obj);
    }
  }

  bool remember(oop before, oop obj) {
    H2Targets* const targets = _region->targets();
    if (targets != NULL && targets->contains(obj)) {
      return true;
    }
    return _statics.contains(before) && _region->make_targets()->add(obj);
  }

 public:
  H2AdjustClosure(H2Region* r, const H2StaticObjects& statics, H1AdjustWorker* worker) :
    H2SlotClosure(r), _worker(worker), _statics(statics), _region(r), _refers_to_old(false), _refers_to_young(false),
    _remembered(true) {}

  H2Card::State scan(MemRegion words) {
    _refers_to_old = _refers_to_young = false;
    _remembered = true;
    const int targets_before = _region->targets() != NULL ? _region->targets()->count() : 0;
    slots_do(words, _covering, this);
    if (_refers_to_old && !_refers_to_young && _remembered) {
      return H2Card::Remembered;
    }
    if (_region->targets() != NULL) {
      _region->targets()->truncate(targets_before);
    }
    return _refers_to_young ? H2Card::Young : _refers_to_old ? H2Card::Old : H2Card::Clean;
  }

  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
};

static bool do_targets_move(const H2Region* r, H1AdjustWorker* worker, H2Cards::IsMoving is_moving) {
  bool move = false;
  if (r->targets() != NULL) {
    r->targets()->objects_do([&](oop target) {
      guarantee(!VerifyH2 || H1Marks::is_marked(target) || is_moving(cast_from_oop<HeapWord*>(target)),
                "target " PTR_FORMAT " of H2 region %u is dead", p2i(target), H2Heap::index_of_region(r));
      oop to = target;
      worker->adjust(&to);
      move = move || to != target;
    });
  }
  return move;
}

bool H2Cards::may_skip_old(const H2Region* r) const {
  return _knows_targets && H1Compaction::stays(r->highest_target());
}

void H2Cards::adjust(H1AdjustWorker* worker, IsMoving is_moving) {
  jlong scanned = 0;
  jlong of_moved_targets = 0;
  size_t pages = 0;
  H2Region* r;
  while ((r = claim_next()) != NULL) {
    if (!_has_expanded) {
      expand_imprecise_marks(r);
    }
    const bool are_static = are_targets_static(r);
    const bool skip_remembered = are_static && !do_targets_move(r, worker, is_moving);
    if (!skip_remembered) {
      r->forget_targets();
    }
    H2AdjustClosure cl(r, *_statics, worker);
    cards_to_h1_do(r, skip_remembered, may_skip_old(r), [&](CardValue* card, MemRegion words) {
      of_moved_targets += are_static && *card == H2Card::Remembered ? 1 : 0;
      _null_slices.written(card);
      *card = cl.scan(words);
      scanned++;
    });
    pages_do(r, set_to_read(skip_remembered), [&](CardValue* first, CardValue* end) {
      H2CardPages::of_h2().adjusted(first);
      pages += H2CardPages::of_h2().pages(first, end);
    });
  }
  H2CardPages::of_h2().count_adjusted(pages);
  H2Statistics::add(H2Statistics::MajorScannedCards, scanned);
  H2Statistics::add(H2Statistics::MovedTargetCards, of_moved_targets);
  _adjusted.add(worker->index(), (size_t)scanned);
}
