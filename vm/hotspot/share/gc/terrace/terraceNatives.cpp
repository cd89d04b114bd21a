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
#include "classfile/vmSymbols.hpp"
#include "gc/shared/gcLocker.inline.hpp"
#include "gc/terrace/far/farStatistics.hpp"
#include "gc/terrace/h2/base/h2Journal.hpp"
#include "gc/terrace/h2/base/h2Labels.hpp"
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/paging/h2Pager.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/report/h2Snapshot.hpp"
#include "gc/terrace/h2/report/h2Usage.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/transfer/h2Tags.hpp"
#include "gc/terrace/h2/transfer/h2Transfer.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceNatives.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "jni.h"
#include "memory/oopFactory.hpp"
#include "memory/resourceArea.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/method.hpp"
#include "oops/typeArrayOop.inline.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/jniHandles.inline.hpp"

enum State { InH1 = 0, Due = 1, InH2 = 2 };

static bool is_h2_enabled() {
  return !H2Range::is_empty();
}

// SecondHeap checks labels, too, but its library may be older than the VM.
static void check_label(jlong label, TRAPS) {
  if (label < H2Labels::FirstOfProgram) {
    THROW_MSG(vmSymbols::java_lang_IllegalArgumentException(), err_msg("label " JLONG_FORMAT " is reserved", label));
  }
}

JVM_ENTRY_NO_ENV(static void, tagRoot0(JNIEnv* env, jclass, jobject root, jlong label))
  check_label(label, CHECK);
  if (is_h2_enabled() && root != NULL) {
    H2Tags::of_h2().tag(Handle(thread, JNIHandles::resolve_non_null(root)), label);
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, untag0(JNIEnv* env, jclass, jobject root))
  if (is_h2_enabled() && root != NULL) {
    H2Tags::of_h2().untag(Handle(thread, JNIHandles::resolve_non_null(root)));
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, move0(JNIEnv* env, jclass, jlong label))
  check_label(label, CHECK);
  if (is_h2_enabled()) {
    H2Tags::of_h2().set_due(label, true);
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, hold0(JNIEnv* env, jclass, jlong label))
  check_label(label, CHECK);
  if (is_h2_enabled()) {
    H2Tags::of_h2().set_due(label, false);
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, place0(JNIEnv* env, jclass, jlong label, jint tier))
  check_label(label, CHECK);
  if (TierPlacer::is_enabled() && tier >= (jint)Tier::Auto && tier <= (jint)Tier::Heap) {
    TierPlacer::place(label, (Tier)tier);
  }
JVM_END

JVM_ENTRY_NO_ENV(static jint, state0(JNIEnv* env, jclass, jobject object))
  if (!is_h2_enabled() || object == NULL) {
    return InH1;
  }
  Handle h(thread, JNIHandles::resolve_non_null(object));
  if (H2Range::contains(h())) {
    return InH2;
  }
  return H2Tags::of_h2().is_due(h) ? Due : InH1;
JVM_END

static void collect_for_transfer() {
  // A collection returns without effect while a thread is in a JNI critical section, and if there was
  // another one in the meantime. In that one, scheduled objects may have waited.
  const uint before = H2Transfer::of_h2().tries();
  Universe::heap()->collect(GCCause::_h2_transfer);
  while (H2Transfer::of_h2().tries() == before) {
    GCLocker::stall_until_clear();
    Universe::heap()->collect(GCCause::_h2_transfer);
  }
}

JVM_ENTRY_NO_ENV(static void, transfer0(JNIEnv* env, jclass))
  if (is_h2_enabled()) {
    // The limit ends the loop if other threads keep tagging objects.
    const jlong end = H2Statistics::get(H2Statistics::MovedBytes) + (jlong)Universe::heap()->max_capacity();
    do {
      collect_for_transfer();
    } while (H2Transfer::of_h2().has_rest() && H2Statistics::get(H2Statistics::MovedBytes) < end);
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, prefetch0(JNIEnv* env, jclass, jobject root))
  if (is_h2_enabled() && root != NULL) {
    H2Pager::prefetch(JNIHandles::resolve_non_null(root));
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, dismiss0(JNIEnv* env, jclass, jobject root))
  if (is_h2_enabled() && root != NULL) {
    H2Pager::dismiss(JNIHandles::resolve_non_null(root));
  }
JVM_END

// Creates an array with value_at(i) at each index i.
template <typename Function>
static jlongArray long_array(int length, Function value_at, TRAPS) {
  typeArrayOop result = oopFactory::new_longArray(length, CHECK_NULL);
  for (int i = 0; i < length; i++) {
    result->long_at_put(i, value_at(i));
  }
  return (jlongArray)JNIHandles::make_local(THREAD, result);
}

JVM_ENTRY_NO_ENV(static jlongArray, statistics0(JNIEnv* env, jclass))
  const int length = is_h2_enabled() ? (int)H2Statistics::CounterCount : 0;
  return long_array(length, [](int i) { return H2Snapshot::get((H2Statistics::Counter)i); }, THREAD);
JVM_END

// The length of a row must never change, because programs may contain an older or newer version of the library.
JVM_ENTRY_NO_ENV(static jlongArray, labels0(JNIEnv* env, jclass))
  static const int Row = 6;
  ResourceMark rm(thread);
  GrowableArray<H2Usage::Label> labels;
  if (is_h2_enabled()) {
    H2Usage usage;
    usage.find_resident(thread);
    labels.appendAll(&usage.labels());
  }
  return long_array(labels.length() * Row, [&](int i) {
    const H2Usage::Label& l = *labels.adr_at(i / Row);
    const jlong row[Row] = { l.label, l.regions, l.held_regions,
                             (jlong)l.used_bytes, (jlong)l.garbage_bytes, (jlong)l.resident_bytes };
    return row[i % Row];
  }, THREAD);
JVM_END

JVM_ENTRY_NO_ENV(static jlongArray, waits0(JNIEnv* env, jclass))
  ResourceMark rm(thread);
  GrowableArray<H2Waits::Label> labels;
  if (is_h2_enabled()) {
    H2Waits::labels(&labels);
  }
  return long_array(labels.length() * 2, [&](int i) {
    const H2Waits::Label& l = *labels.adr_at(i / 2);
    return i % 2 == 0 ? l.label : l.nanos;
  }, THREAD);
JVM_END

JVM_ENTRY_NO_ENV(static jlongArray, tiers0(JNIEnv* env, jclass))
  static const int Row = 3;
  ResourceMark rm(thread);
  GrowableArray<H2Usage::Label> labels;
  if (TierPlacer::is_enabled()) {
    H2Usage usage;
    labels.appendAll(&usage.labels());
  }
  return long_array(labels.length() * Row, [&](int i) {
    const H2Usage::Label& l = *labels.adr_at(i / Row);
    const jlong row[Row] = { l.label, (jlong)l.tier, (jlong)l.fast_bytes };
    return row[i % Row];
  }, THREAD);
JVM_END

JVM_ENTRY_NO_ENV(static jlongArray, heats0(JNIEnv* env, jclass))
  ResourceMark rm(thread);
  GrowableArray<H2Usage::Label> labels;
  if (TierPlacer::is_monitored()) {
    H2Usage usage;
    labels.appendAll(&usage.labels());
  }
  return long_array(labels.length() * 2, [&](int i) {
    const H2Usage::Label& l = *labels.adr_at(i / 2);
    return i % 2 == 0 ? l.label : l.used_bytes == 0 ? 0 : (jlong)(l.hot_bytes * 1000 / (double)l.used_bytes);
  }, THREAD);
JVM_END

JVM_ENTRY_NO_ENV(static jlongArray, event0(JNIEnv* env, jclass, jlong after))
  const H2Journal::Entry* const found = is_h2_enabled() ? H2Journal::of_h2().next(after) : NULL;
  if (found == NULL) {
    return NULL;
  }
  // Copy the entry, because a collection may overwrite it meanwhile.
  const H2Journal::Entry e = *found;
  const jlong values[] = { e.id, e.millis, e.kind, e.nanos, e.objects, e.bytes };
  return long_array((int)ARRAY_SIZE(values), [&](int i) { return values[i]; }, THREAD);
JVM_END

JVM_ENTRY_NO_ENV(static jstring, eventReason0(JNIEnv* env, jclass, jlong id))
  const H2Journal::Entry* const found = is_h2_enabled() ? H2Journal::of_h2().next(id - 1) : NULL;
  if (found == NULL || found->id != id || found->reason == NULL) {
    return NULL;
  }
  Handle text = java_lang_String::create_from_str(found->reason, CHECK_NULL);
  return (jstring)JNIHandles::make_local(THREAD, text());
JVM_END

// Only append values, because programs may contain an older or newer version of the library.
JVM_ENTRY_NO_ENV(static jlongArray, far_cycle0(JNIEnv* env, jclass, jlong after))
  FarCycle c;
  if (!UseFarMemory || !FarStatistics::next(after, c)) {
    return NULL;
  }
  const jlong values[] = {
    c.id, c.millis, c.is_complete ? 1 : 0, c.nanos[FarCycle::Marking], c.nanos[FarCycle::Rebuild], (jlong)c.absent,
    (jlong)c.marking.summarized_pages, (jlong)c.asked(), (jlong)c.given_back(), (jlong)c.kept_summaries, (jlong)c.kept_bytes,
    (jlong)c.all_faults(FarFaults::Program), (jlong)c.all_faults(FarFaults::Concurrent), (jlong)c.all_faults(FarFaults::Pause),
    (jlong)c.all_faults(FarFaults::Refinement) };
  return long_array((int)ARRAY_SIZE(values), [&](int i) { return values[i]; }, THREAD);
JVM_END

JVM_ENTRY_NO_ENV(static jlongArray, gc_thread_totals0(JNIEnv* env, jclass))
  return long_array((int)TerraceGang::TotalCount, [](int i) { return TerraceGang::total((uint)i); }, THREAD);
JVM_END

#define CC (char*)

static JNINativeMethod second_heap_methods[] = {
  { CC"tagRoot0",    CC"(Ljava/lang/Object;J)V", (void*)&tagRoot0 },
  { CC"untag0",      CC"(Ljava/lang/Object;)V",  (void*)&untag0 },
  { CC"move0",       CC"(J)V",                   (void*)&move0 },
  { CC"hold0",       CC"(J)V",                   (void*)&hold0 },
  { CC"place0",      CC"(JI)V",                  (void*)&place0 },
  { CC"state0",      CC"(Ljava/lang/Object;)I",  (void*)&state0 },
  { CC"transfer0",   CC"()V",                    (void*)&transfer0 },
  { CC"prefetch0",   CC"(Ljava/lang/Object;)V",  (void*)&prefetch0 },
  { CC"dismiss0",    CC"(Ljava/lang/Object;)V",  (void*)&dismiss0 },
  { CC"statistics0", CC"()[J",                   (void*)&statistics0 },
  { CC"labels0",     CC"()[J",                   (void*)&labels0 },
  { CC"waits0",      CC"()[J",                   (void*)&waits0 },
  { CC"tiers0",      CC"()[J",                   (void*)&tiers0 },
  { CC"heats0",      CC"()[J",                   (void*)&heats0 },
  { CC"event0",      CC"(J)[J",                  (void*)&event0 },
  { CC"eventReason0", CC"(J)Ljava/lang/String;", (void*)&eventReason0 },
};

static JNINativeMethod far_memory_methods[] = {
  { CC"cycle0",      CC"(J)[J",                  (void*)&far_cycle0 },
};

static JNINativeMethod gc_threads_methods[] = {
  { CC"totals0",     CC"()[J",                   (void*)&gc_thread_totals0 },
};

#undef CC

static address find_native(const Method* method, const JNINativeMethod* methods, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (method->name()->equals(methods[i].name) && method->signature()->equals(methods[i].signature)) {
      return (address)methods[i].fnPtr;
    }
  }
  return NULL;
}

address TerraceNatives::lookup(const Method* method) {
  const Symbol* const holder = method->method_holder()->name();
  if (holder->equals("org/terrace/SecondHeap")) {
    return find_native(method, second_heap_methods, ARRAY_SIZE(second_heap_methods));
  }
  if (holder->equals("org/terrace/FarMemory")) {
    return find_native(method, far_memory_methods, ARRAY_SIZE(far_memory_methods));
  }
  if (holder->equals("org/terrace/GCThreads")) {
    return find_native(method, gc_threads_methods, ARRAY_SIZE(gc_threads_methods));
  }
  return NULL;
}
