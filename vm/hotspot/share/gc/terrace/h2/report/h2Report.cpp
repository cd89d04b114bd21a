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
#include "classfile/javaClasses.hpp"
#include "gc/shared/gcLocker.inline.hpp"
#include "gc/shared/oopStorageSet.inline.hpp"
#include "gc/terrace/h2/base/h2LabelMap.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/collector/h1Heap.hpp"
#include "gc/terrace/h2/liveness/marking/h2AheadMarker.hpp"
#include "gc/terrace/h2/liveness/marking/h2DeepMarking.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/report/h2Report.hpp"
#include "gc/terrace/h2/report/h2Snapshot.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "gc/terrace/h2/transfer/h2Unhinted.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "memory/heapInspection.hpp"
#include "memory/iterator.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/access.inline.hpp"
#include "oops/compressedOops.inline.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/thread.hpp"
#include "utilities/ostream.hpp"
#include "utilities/resourceHash.hpp"

// The maximum numbers of rows for one label.
static const int MaxHolders = 3;
static const int MaxClasses = 5;

// Formats bytes as "12.3", whatever the locale, because a program may read it. In the resource area.
static const char* in_mb(size_t bytes) {
  const size_t tenths = bytes / (M / 10);
  stringStream text;
  text.print(SIZE_FORMAT "." SIZE_FORMAT, tenths / 10, tenths % 10);
  return text.as_string();
}

// Formats a time as "12.3", or as "-" if it is not known. In the resource area.
static const char* in_seconds(jlong nanos) {
  const jlong tenths = nanos / (NANOSECS_PER_SEC / 10);
  stringStream text;
  if (nanos < 0) {
    text.print("-");
  } else {
    text.print(JLONG_FORMAT "." JLONG_FORMAT, tenths / 10, tenths % 10);
  }
  return text.as_string();
}

// Liveness by regions does not find garbage in live regions.
static bool is_garbage_known() {
  return H2DeepMarking::of_h2().ended_at() != 0;
}

static int percent_of(size_t part, size_t all) {
  return all == 0 ? 0 : (int)(100 * (double)part / (double)all + 0.5);
}

template <typename T>
static int descending(T a, T b) {
  return a > b ? -1 : a < b ? 1 : 0;
}

static int by_used_bytes(H2Usage::Label* a, H2Usage::Label* b) {
  return descending(a->used_bytes, b->used_bytes);
}

static void print_summary(outputStream* out, H2Usage& usage) {
  const GrowableArray<H2Usage::Label>& labels = usage.labels();
  H2Usage::Label all = { 0, 0, 0, 0, 0, 0, 0, 0, Tier::Auto, 0, 0 };
  for (int i = 0; i < labels.length(); i++) {
    all.used_bytes += labels.at(i).used_bytes;
    all.garbage_bytes += labels.at(i).garbage_bytes;
    all.resident_bytes += labels.at(i).resident_bytes;
  }
  out->print_cr("H2 in %s: %u of %u regions of " SIZE_FORMAT "M in use",
                H2Storage::of_h2().where(), usage.regions(), H2Heap::region_count(), H2RegionSize / M);
  out->print("Objects: %sM, %sM of it in memory, ", in_mb(all.used_bytes), in_mb(all.resident_bytes));
  if (is_garbage_known()) {
    out->print_cr("%sM known to be garbage", in_mb(all.garbage_bytes));
    out->print_cr("Garbage is what the last marking through H2 found, %s s ago. It left %sM in use",
                  in_seconds(os::javaTimeNanos() - H2DeepMarking::of_h2().ended_at()), in_mb(H2DeepMarking::of_h2().ended_bytes()));
  } else {
    out->print_cr("garbage is not known");
    out->print_cr("Garbage is known after the first marking through H2: when free regions are short, when H2 has grown by what may be "
                  "garbage (H2GarbageThreshold), or with -objects");
  }
  out->print_cr("Unused at the ends of regions: %sM", in_mb(usage.regions() * H2RegionSize - all.used_bytes));
  if (usage.shared_regions() > 0) {
    out->print_cr("Shared: %u regions, by " SIZE_FORMAT " labels that have too little for regions of their own",
                  usage.shared_regions(), H2LabelSpans::label_count());
  }
  if (TierPlacer::is_enabled()) {
    out->print_cr("Tiers: %sM of H2FastSize=%sM taken by fast regions", in_mb(TierPlacer::fast_bytes()), in_mb(H2FastSize));
  }
  if (TierPlacer::is_monitored()) {
    out->print_cr("Accesses: " JLONG_FORMAT " samples, %s s of processor time; because of them %sM became fast, %sM slow",
                  H2Snapshot::get(H2Statistics::Samples), in_seconds(H2Snapshot::get(H2Statistics::SampleNanos)),
                  in_mb(H2Snapshot::get(H2Statistics::MigratedToFastBytes)),
                  in_mb(H2Snapshot::get(H2Statistics::MigratedToSlowBytes)));
  }
  out->print_cr("Hints: " JLONG_FORMAT " tagged roots in H1", H2Snapshot::get(H2Statistics::TaggedRoots));
  out->print("Transfers: " JLONG_FORMAT ", " JLONG_FORMAT " abandoned",
             H2Snapshot::get(H2Statistics::Transfers), H2Snapshot::get(H2Statistics::FailedTransfers));
  if (H2Transfer::of_h2().last_error() != NULL) {
    out->print(" (last: %s)", H2Transfer::of_h2().last_error());
  }
  out->print_cr("; " JLONG_FORMAT " objects, %sM, " JLONG_FORMAT " ms",
                H2Snapshot::get(H2Statistics::MovedObjects), in_mb(H2Snapshot::get(H2Statistics::MovedBytes)),
                H2Snapshot::get(H2Statistics::TransferNanos) / NANOSECS_PER_MILLISEC);
  out->print_cr("Regions freed: " JLONG_FORMAT "; markings through H2: " JLONG_FORMAT "; regions evacuated by them: " JLONG_FORMAT ", "
                "with %sM of objects that moved",
                H2Snapshot::get(H2Statistics::FreedRegions), H2Snapshot::get(H2Statistics::DeepMarkings),
                H2Snapshot::get(H2Statistics::EvacuatedRegions), in_mb(H2Snapshot::get(H2Statistics::EvacuatedBytes)));
  if (H2MarkAhead) {
    out->print_cr("Markings through H2 that began concurrently: " JLONG_FORMAT "; " JLONG_FORMAT " objects marked by that%s",
                  H2Snapshot::get(H2Statistics::AheadMarkings), H2Snapshot::get(H2Statistics::AheadObjects),
                  H2AheadMarker::is_busy() ? ", more right now" : "");
  }
  out->print_cr("Read by minor collections, for references to young objects: %sM, and " JLONG_FORMAT " pages of the card table",
                in_mb(H2Snapshot::get(H2Statistics::MinorScannedCards) * CardTable::card_size),
                H2Snapshot::get(H2Statistics::MinorCardPages));
  out->print_cr("Read by major collections, for references to H1: %sM, %sM of it because objects of H1 moved",
                in_mb(H2Snapshot::get(H2Statistics::MajorScannedCards) * CardTable::card_size),
                in_mb(H2Snapshot::get(H2Statistics::MovedTargetCards) * CardTable::card_size));
  out->print_cr("Read from the device in pauses: %sM by minor collections, %sM by major ones",
                in_mb(H2Snapshot::get(H2Statistics::MinorReadBytes)), in_mb(H2Snapshot::get(H2Statistics::MajorReadBytes)));
  if (H2Snapshot::get(H2Statistics::ReleasedHeapBytes) > 0) {
    out->print_cr("Unused memory of the heap released for pages of H2: %sM",
                  in_mb(H2Snapshot::get(H2Statistics::ReleasedHeapBytes)));
  }
  if (H2Snapshot::get(H2Statistics::Unlocks) > 0) {
    out->print_cr("Locked by the program (mlockall), and unlocked: " JLONG_FORMAT " times", H2Snapshot::get(H2Statistics::Unlocks));
  }
  out->print_cr("Waited for pages: %s s, and %s s for pages that may be others (sums over threads, by samples)",
                in_seconds(H2Snapshot::get(H2Statistics::WaitNanos)),
                in_seconds(H2Snapshot::get(H2Statistics::UnplacedWaitNanos)));
}

static void print_holders(outputStream* out, const GrowableArray<H2Usage::Holder>& holders, jlong held) {
  int count = 0;
  for (int i = 0; i < holders.length(); i++) {
    const H2Usage::Holder& h = holders.at(i);
    if (h.held == held && count++ < MaxHolders) {
      out->print("%s", count > 1 ? ", " : "  ");
      if (H2LabelSpans::is_label(h.holder)) {
        out->print("shared regions (%u)", h.pairs);
      } else {
        out->print(JLONG_FORMAT " (%u)", h.holder, h.pairs);
      }
    }
  }
  if (count > MaxHolders) {
    out->print(", %d more", count - MaxHolders);
  }
}

static void print_tiers(outputStream* out, const GrowableArray<H2Usage::Label>& labels) {
  out->cr();
  for (int i = 0; i < labels.length(); i++) {
    const H2Usage::Label& l = labels.at(i);
    if (l.tier != Tier::Auto || l.fast_bytes != 0 || TierPlacer::is_monitored()) {
      out->print("tier of label " JLONG_FORMAT ": %s, %sM of %sM in fast regions", l.label, TierMap::name_of(l.tier),
                 in_mb(l.fast_bytes), in_mb(l.used_bytes));
      if (TierPlacer::is_monitored() && l.used_bytes > 0) {
        out->print(", heat %d %%", (int)(l.hot_bytes * 100 / (double)l.used_bytes));
      }
      out->cr();
    }
  }
}

// Prints how the device is read for the labels.
static void print_modes(outputStream* out, const GrowableArray<H2Usage::Label>& labels) {
  if (!H2ReadModes::are_found_out()) {
    out->print_cr("all labels are read %s: H2RandomAccess is set, or H2 is in memory",
                  H2ReadModes::name_of(H2ReadModes::of_h2().mode_of(0)));
    return;
  }
  for (int i = 0; i < labels.length(); i++) {
    const jlong label = labels.at(i).label;
    const H2ReadModes::Mode mode = H2ReadModes::of_h2().mode_of(label);
    const uint changes = H2ReadModes::of_h2().changes_of(label);
    if (mode != H2ReadPattern::Sequential || changes > 0) {
      out->print_cr("reads of label " JLONG_FORMAT ": %s, %u changes", label, H2ReadModes::name_of(mode), changes);
    }
  }
}

void H2Report::print_tables(outputStream* out, H2Usage& usage, int max_labels) {
  GrowableArray<H2Usage::Label>& labels = usage.labels();
  print_summary(out, usage);
  if (labels.is_empty()) {
    return;
  }
  labels.sort(by_used_bytes);
  out->cr();
  out->print_cr("%20s %8s %8s %12s %12s %12s %6s %10s  %s", "label", "regions", "held", "used, M", "in memory, M", "garbage, M",
                "of it", "waited, s", "kept alive by labels (pairs of regions)");
  GrowableArray<H2Usage::Holder> holders;
  H2Usage::find_holders(&holders);
  bool any_unhinted = false;
  for (int i = 0; i < MIN2(max_labels, labels.length()); i++) {
    const H2Usage::Label& l = labels.at(i);
    any_unhinted = any_unhinted || H2Labels::is_unhinted(l.label);
    out->print("%20" PRId64 " %8u %8u %12s %12s", (int64_t)l.label, l.regions, l.held_regions,
               in_mb(l.used_bytes), in_mb(l.resident_bytes));
    if (is_garbage_known()) {
      out->print(" %12s %5d%%", in_mb(l.garbage_bytes), percent_of(l.garbage_bytes, l.used_bytes));
    } else {
      out->print(" %12s %6s", "-", "");
    }
    out->print(" %10s", in_seconds(l.wait_nanos));
    print_holders(out, holders, l.label);
    out->cr();
  }
  if (labels.length() > max_labels) {
    out->print_cr("and %d labels more", labels.length() - max_labels);
    labels.trunc_to(max_labels);
  }
  out->print_cr("held: regions to which something outside of H2 referred at the last major collection, weak references "
                "included, or that are newer; the others live by them");
  if (any_unhinted) {
    out->print_cr("label " JLONG_FORMAT ": arrays of primitives that nobody tagged, and label " JLONG_FORMAT ": structures (H2MoveUnhinted)",
                  H2Labels::Arrays, H2Labels::Structures);
  }
  print_modes(out, labels);
  if (TierPlacer::is_enabled()) {
    print_tiers(out, labels);
  }
}

void H2Report::print(outputStream* out, int max_labels, JavaThread* thread) {
  ResourceMark rm(thread);
  H2Usage usage;
  usage.find_resident(thread);
  print_tables(out, usage, max_labels);
}

// Counts the references from outside of H2 to objects of each label, by kind and class of the referrer.
class H2Referrers : public BasicOopIterateClosure {
 public:
  enum Kind { Instances, Statics, ThreadStack, Handle };

  struct Referrer {
    Kind         kind;
    const Klass* klass;      // class of the object, or the class with the static fields
    jlong        label;

    static unsigned hash(Referrer const& r) {
      return primitive_hash<const Klass*>(r.klass) * 31 + (unsigned)r.label * 7 + (unsigned)r.kind;
    }
    static bool equals(Referrer const& a, Referrer const& b) {
      return a.kind == b.kind && a.klass == b.klass && a.label == b.label;
    }
  };

  struct Row {
    Referrer referrer;
    size_t   references;
  };

 private:
  // On the C heap, because frames of threads are walked under resource marks of their own.
  ResourceHashtable<Referrer, size_t, Referrer::hash, Referrer::equals, 1031, ResourceObj::C_HEAP, mtGC> _references;
  H2LabelMap<bool> _wanted;             // labels that are reported
  Referrer _current;

  template <typename T> void work(T* p) {
    T heap_oop = RawAccess<>::oop_load(p);
    if (CompressedOops::is_null(heap_oop)) {
      return;
    }
    oop target = CompressedOops::decode_not_null(heap_oop);
    if (H2Range::contains(target)) {
      _current.label = H2LabelSpans::label_at(H2Heap::head_of(cast_from_oop<void*>(target)), cast_from_oop<void*>(target));
      if (!_wanted.contains(_current.label)) {
        return;
      }
      bool created;
      (*_references.put_if_absent(_current, (size_t)0, &created))++;
    }
  }

  class InH1 : public ObjectClosure {
    H2Referrers* const _referrers;
   public:
    InH1(H2Referrers* referrers) : _referrers(referrers) {}
    virtual void do_object(oop obj) { _referrers->look_at(obj); }
  };

  void look_at(oop obj) {
    Klass* const of_mirror = java_lang_Class::is_instance(obj) ? java_lang_Class::as_Klass(obj) : NULL;
    _current.kind = of_mirror != NULL ? Statics : Instances;
    _current.klass = of_mirror != NULL ? of_mirror : obj->klass();
    obj->oop_iterate(this);
  }

  void look_at_roots(Kind kind) {
    _current.kind = kind;
    _current.klass = NULL;
    if (kind == ThreadStack) {
      Threads::oops_do(this, NULL);
    } else {
      OopStorageSet::strong_oops_do(this);
    }
  }

  static int by_references(Row* a, Row* b) { return descending(a->references, b->references); }

  static void print_row(outputStream* out, const Row& row) {
    out->print("  %12" PRIuPTR "  ", (uintptr_t)row.references);
    switch (row.referrer.kind) {
      case Instances:   out->print_cr("%s", row.referrer.klass->external_name()); break;
      case Statics:     out->print_cr("static fields of %s", row.referrer.klass->external_name()); break;
      case ThreadStack: out->print_cr("stacks of threads"); break;
      case Handle:      out->print_cr("handles of native code"); break;
    }
  }

 public:
  virtual void do_oop(oop* p)       { work(p); }
  virtual void do_oop(narrowOop* p) { work(p); }
  // A reference object does not keep its referent alive.
  virtual ReferenceIterationMode reference_iteration_mode() { return DO_FIELDS_EXCEPT_REFERENT; }

  // Counts references to these labels only. Called at a safepoint with a parsable heap.
  void find(const GrowableArray<H2Usage::Label>& labels) {
    for (int i = 0; i < labels.length(); i++) {
      _wanted.put(labels.at(i).label, true);
    }
    InH1 in_h1(this);
    H1Heap::objects_do(&in_h1);
    look_at_roots(ThreadStack);
    look_at_roots(Handle);
  }

  void print(outputStream* out, jlong label) {
    struct OfLabel {
      jlong              _label;
      GrowableArray<Row> _rows;
      bool do_entry(Referrer const& r, size_t const& references) {
        if (r.label == _label) {
          const Row row = { r, references };
          _rows.append(row);
        }
        return true;
      }
    } of_label;
    of_label._label = label;
    _references.iterate(&of_label);
    of_label._rows.sort(by_references);
    out->print_cr("  %12s  %s", "references", of_label._rows.is_empty() ? "from outside of H2: none" : "from outside of H2");
    for (int i = 0; i < MIN2(MaxClasses, of_label._rows.length()); i++) {
      print_row(out, of_label._rows.at(i));
    }
  }
};

static void print_classes(outputStream* out, const H2Usage::Label& usage) {
  struct Entries : public KlassInfoClosure {
    GrowableArray<KlassInfoEntry*> _entries;
    virtual void do_cinfo(KlassInfoEntry* entry) { _entries.append(entry); }
    static int by_words(KlassInfoEntry** a, KlassInfoEntry** b) { return descending((*a)->words(), (*b)->words()); }
  } largest;

  KlassInfoTable table(false);
  bool complete = !table.allocation_failed();
  H2Heap::heap().heads_do([&](H2Region* r) {
    H2LabelSpans::spans_do(r, [&](jlong label, MemRegion words) {
      for (HeapWord* p = words.start(); complete && label == usage.label && p < words.end(); p += cast_to_oop(p)->size()) {
        complete = H2LiveMap::of_h2().is_garbage(r, p) || table.record_instance(cast_to_oop(p));
      }
    });
  });
  if (!complete) {
    out->print_cr("  no memory to count its classes");
    return;
  }
  table.iterate(&largest);
  largest._entries.sort(Entries::by_words);
  if (usage.garbage_bytes > 0) {
    out->print_cr("  %sM of it are garbage, which is not counted by class", in_mb(usage.garbage_bytes));
  }
  out->print_cr("  %12s %12s  %s", "instances", "used, M", "class");
  for (int i = 0; i < MIN2(MaxClasses, largest._entries.length()); i++) {
    const KlassInfoEntry* const entry = largest._entries.at(i);
    out->print_cr("  %12" PRIu64 " %12s  %s", entry->count(), in_mb(entry->words() * HeapWordSize), entry->name());
  }
}

void VM_H2ReportObjects::collect_and_mark_through() {
  if (GCLocker::is_active()) {
    _out->print_cr("No collection: a thread is in a JNI critical section. Not all garbage is known.");
    return;
  }
  const jlong before = H2Snapshot::get(H2Statistics::DeepMarkings);
  const jlong freed_before = H2Snapshot::get(H2Statistics::FreedRegions);
  H2DeepMarking::of_h2().request();
  collect();
  _out->print_cr("A major collection came first, and freed " JLONG_FORMAT " regions of H2. The report shows H2 after it",
                 H2Snapshot::get(H2Statistics::FreedRegions) - freed_before);
  if (H2Heap::heap().free_count() < H2Heap::region_count() && H2Snapshot::get(H2Statistics::DeepMarkings) == before) {
    _out->print_cr("H2 could not be marked through: the device has no space for the marks. Not all garbage is known.");
  }
}

void VM_H2ReportObjects::doit() {
  ResourceMark rm;
  Universe::heap()->ensure_parsability(false);
  collect_and_mark_through();
  H2Usage usage;
  usage.find_resident();
  H2Report::print_tables(_out, usage, _max_labels);
  H2Referrers referrers;
  referrers.find(usage.labels());
  for (int i = 0; i < usage.labels().length(); i++) {
    const H2Usage::Label& label = usage.labels().at(i);
    _out->cr();
    _out->print_cr("Label " JLONG_FORMAT, label.label);
    print_classes(_out, label);
    referrers.print(_out, label.label);
  }
}
