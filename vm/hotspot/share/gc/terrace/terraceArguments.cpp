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
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/far/farCalls.hpp"
#include "gc/terrace/h2/base/h2Calls.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceArguments.hpp"
#include "gc/terrace/terraceFlags.hpp"
#include "gc/terrace/threads/gangBinding.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "jvm_io.h"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "runtime/arguments.hpp"
#include "runtime/globals.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/java.hpp"
#include "runtime/os.hpp"
#include "utilities/powerOfTwo.hpp"

size_t TerraceArguments::_h2_size = 0;

// The length of a wrong value in a message.
static const int MaxShown = 80;

// The lower bound of H2RegionSize.
static const size_t LeastRegionSize = 2 * M;

// The name of the flag that turns H2 on.
static const char* h2_flag() {
  return H2Storage::of_h2().words().flag_name;
}

// The message may contain a path.
static void refuse(const char* format, ...) ATTRIBUTE_PRINTF(1, 2);
static void refuse(const char* format, ...) {
  static char message[2 * JVM_MAXPATHLEN];
  va_list arguments;
  va_start(arguments, format);
  jio_vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  vm_exit_during_initialization(message, NULL);
}

// The other modes mark in another order, or not concurrently.
static void check_shenandoah_mode() {
#if INCLUDE_SHENANDOAHGC
  if (ShenandoahGCMode != NULL && strcmp(ShenandoahGCMode, "satb") != 0) {
    refuse("UseFarMemory works with the mode satb of Shenandoah only; remove -XX:ShenandoahGCMode=%s", ShenandoahGCMode);
  }
  if (VerifyFarMemory) {
    FLAG_SET_ERGO_IF_DEFAULT(ShenandoahVerify, true);
  }
#endif
}

static void check_far_combination() {
  if (H2Storage::is_requested()) {
    refuse("UseFarMemory cannot be combined with %s: far memory works with G1 and Shenandoah, the second heap with ParallelGC", h2_flag());
  }
  if (UseParallelGC || UseSerialGC || UseZGC || UseEpsilonGC) {
    refuse("UseFarMemory works with G1 and Shenandoah only; remove the option that selects another collector, or use -XX:+UseG1GC");
  }
  if (!FLAG_IS_DEFAULT(UseG1GC) && !UseG1GC && !UseShenandoahGC) {
    refuse("UseFarMemory needs G1 or Shenandoah; remove -XX:-UseG1GC, or add -XX:+UseShenandoahGC");
  }
  if (AllocateHeapAt != NULL) {
    refuse("UseFarMemory cannot be combined with AllocateHeapAt: pages of a file are not swapped");
  }
  if (UseShenandoahGC) {
    check_shenandoah_mode();
  } else {
    FLAG_SET_ERGO_IF_DEFAULT(UseG1GC, true);
  }
}

// If UseFarMemory is not set, far memory may turn itself on later.
void TerraceArguments::initialize_far() {
  if (UseFarMemory) {
    check_far_combination();
  } else if (!FLAG_IS_DEFAULT(UseFarMemory) && (FarMemoryTorture != 0 || FarMemoryPageOut)) {
    refuse("FarMemoryTorture and FarMemoryPageOut exercise what -XX:-UseFarMemory forbids; remove that");
  }
  if (FarMemoryOnceAbove > FarMemoryFreelyAbove) {
    refuse("FarMemoryOnceAbove must not be greater than FarMemoryFreelyAbove");
  }
  const char* const error = FarCalls::initialize();
  if (error != NULL) {
    refuse("%s", error);
  }
}

// Warns if the collector does not support a flag. The VM starts anyway, because ignoring the flag does no harm.
void TerraceArguments::initialize_gc_threads() {
  const bool has_one = UseParallelGC || UseG1GC || UseShenandoahGC;
  const bool gets_serial = !has_one && !UseZGC && !UseEpsilonGC && (UseSerialGC || !os::is_server_class_machine());
  if (UseZGC || UseEpsilonGC || gets_serial) {
    const char* const collector = UseZGC ? "ZGC" : UseEpsilonGC ? "EpsilonGC" : "SerialGC";
    if (GCAdaptiveStealing) {
      warning("GCAdaptiveStealing has no effect with %s; it works with ParallelGC, G1 and Shenandoah", collector);
    }
    if (GCStableWorkers) {
      warning("GCStableWorkers has no effect with %s; it works with ParallelGC, G1 and Shenandoah", collector);
    }
    if (GangBinding::is_requested()) {
      warning("GCThreadBinding has no effect with %s; it works with ParallelGC, G1 and Shenandoah", collector);
    }
  }
  if (TerraceGang::is_requested() && !UseEpsilonGC && !gets_serial) {
    Arguments::PropertyList_add(new SystemProperty("terrace.gcthreads", "true", false));
  }
}

// Logs the choice, because the program may have been tuned for the other collector.
static void select_parallel() {
  if (FLAG_IS_DEFAULT(UseParallelGC)) {
    log_info(gc, h2)("%s selects ParallelGC instead of %s", h2_flag(), os::is_server_class_machine() ? "G1" : "Serial");
    FLAG_SET_ERGO(UseParallelGC, true);
  }
}

void TerraceArguments::initialize() {
  if (FLAG_IS_CMDLINE(AllocateH2At) && *TerraceFlags::text(AllocateH2At) == '\0') {
    refuse("AllocateH2At= names no directory");   // an unset variable in a script, most likely
  }
  H2Storage::select();
  if (!GangBinding::is_valid()) {
    refuse("GCThreadBinding=%.*s: must be none, static or dynamic", MaxShown, TerraceFlags::text(GCThreadBinding));
  }
  initialize_gc_threads();
  initialize_far();
  const char* error = TierPlacer::check_flags();
  if (error != NULL) {
    refuse("%s", error);
  }
  if (!H2Storage::is_requested()) {
    if (!FLAG_IS_DEFAULT(H2Size)) {
      refuse("H2Size is set, but neither AllocateH2At=<directory> nor AllocateH2OnNode=<node>, which turn the second heap on");
    }
    if (H2MarkAhead) {
      refuse("H2MarkAhead marks through the second heap, but neither AllocateH2At=<directory> nor AllocateH2OnNode=<node>, which "
             "turn that on, is set; set one of them, with ParallelGC, or remove -XX:+H2MarkAhead");
    }
    return;
  }
  error = H2Storage::conflict();
  if (error != NULL) {
    refuse("%s", error);
  }
  if (UseG1GC || UseSerialGC || UseZGC || UseShenandoahGC || UseEpsilonGC) {
    refuse("%s: the second heap works with ParallelGC only; remove the option that selects another collector, "
           "or use -XX:+UseParallelGC", h2_flag());
  }
  if (!FLAG_IS_DEFAULT(UseParallelGC) && !UseParallelGC) {
    refuse("%s: the second heap needs ParallelGC; remove -XX:-UseParallelGC", h2_flag());
  }
  select_parallel();
  if (AllocateHeapAt != NULL) {
    refuse("%s cannot be combined with AllocateHeapAt, which backs the whole reservation with one file", h2_flag());
  }
  if (UseLargePages && !UseTransparentHugePages) {
    refuse("%s cannot be combined with explicit huge pages (UseLargePages, UseHugeTLBFS, UseSHM); "
           "use -XX:+UseTransparentHugePages", h2_flag());
  }
  if (H2Size != 0 && H2Size < LeastRegionSize) {
    refuse("H2Size=" SIZE_FORMAT " is too small: at least " SIZE_FORMAT "m, the smallest region", H2Size, LeastRegionSize / M);
  }
  // Regions of a small H2 are smaller, so that one can stay free for evacuation.
  if (FLAG_IS_DEFAULT(H2RegionSize) && H2Size >= H2RegionSize) {
    FLAG_SET_ERGO(H2RegionSize, clamp(round_down_power_of_2(H2Size / 32), LeastRegionSize, H2RegionSize));
  }
  if (!is_power_of_2(H2RegionSize)) {
    refuse("H2RegionSize must be a power of two, such as 16m");
  }
  if (FLAG_IS_DEFAULT(H2LowThreshold)) {
    FLAG_SET_ERGO(H2LowThreshold, MIN2(H2LowThreshold, H2HighThreshold));
  }
  if (H2LowThreshold > H2HighThreshold) {
    refuse("H2LowThreshold must not be greater than H2HighThreshold");
  }
  error = H2Calls::initialize();
  if (error != NULL) {
    refuse("%s", error);
  }
  error = H2Storage::of_h2().check();
  if (error != NULL) {
    refuse("%s: %s", H2Storage::of_h2().flag(), error);
  }
  if (H2Size != 0) {
    const H2Storage& storage = H2Storage::of_h2();
    const julong available = storage.capacity();
    if (H2Size > available) {
      refuse("H2Size is " SIZE_FORMAT "M, but %s has " JULONG_FORMAT "M%s; choose a smaller size or another %s",
             H2Size / M, storage.flag(), available / M, storage.words().of_capacity, storage.words().value);
    }
    _h2_size = align_up(H2Size, H2RegionSize);
  }
  Arguments::PropertyList_add(new SystemProperty("terrace.h2", "true", false));
  if (H2FastSize != 0) {
    // "false" if labels have tiers, but pages stay where they are.
    Arguments::PropertyList_add(new SystemProperty("terrace.tiers", TierPlacer::has_tiers() ? "true" : "false", false));
  }
}

size_t TerraceArguments::with_explicit_h2_size(size_t displacement) {
  return displacement + MIN2(_h2_size, (size_t)OopEncodingHeapMax - displacement);
}

// The part of the zero-based range of compressed oops that H1 leaves free.
size_t TerraceArguments::compressed_oops_room(size_t h1_byte_size) {
  const size_t taken = h1_byte_size + HeapBaseMinAddress;
  return taken < OopEncodingHeapMax ? (size_t)OopEncodingHeapMax - taken : 0;
}

// HotSpot reduces the heap so that it fits compressed oops, without a message.
static void warn_of_small_heap(size_t h1_byte_size) {
  size_t limit;
  if (os::has_allocatable_memory_limit(&limit)) {
    return;
  }
  const julong usual = MIN2((julong)(os::physical_memory() * MaxRAMPercentage / 100), (julong)OopEncodingHeapMax - HeapBaseMinAddress);
  if (h1_byte_size < usual / 10 * 9) {
    log_warning(gc, h2)("The heap has " SIZE_FORMAT "M, not " JULONG_FORMAT "M, so that it fits compressed oops together with "
                        "H2Size=" SIZE_FORMAT "M. Set -Xmx, or a smaller H2Size", h1_byte_size / M, usual / M, H2Size / M);
  }
}

size_t TerraceArguments::total_reserved(size_t h1_byte_size) {
  if (!H2Storage::is_requested()) {
    return h1_byte_size;
  }
  if (H2Size == 0) {
    julong size = H2Storage::of_h2().free_space() / 100 * 80;
    if (UseCompressedOops) {
      size = MIN2(size, (julong)compressed_oops_room(h1_byte_size));
    }
    _h2_size = align_down((size_t)size, H2RegionSize);
    if (_h2_size == 0) {
      refuse("%s: no space for the second heap; free %s, use a smaller -Xmx so that both fit compressed oops, or set -XX:H2Size",
             H2Storage::of_h2().flag(), H2Storage::of_h2().words().space);
    }
  } else if (!UseCompressedOops && FLAG_IS_DEFAULT(UseCompressedOops)) {
    log_info(gc, h2)("Compressed oops are off: the heap and H2Size together are too large for them");
  } else if (UseCompressedOops && !FLAG_IS_CMDLINE(MaxHeapSize) && FLAG_IS_DEFAULT(MaxRAM)) {
    warn_of_small_heap(h1_byte_size);
  }
  size_t limit;
  if (os::has_allocatable_memory_limit(&limit) && h1_byte_size + _h2_size > limit) {
    refuse("%s: a limit on address space (ulimit -v) leaves no space for H2Size=" SIZE_FORMAT "m and the "
           "heap; raise it or choose a smaller H2Size", H2Storage::of_h2().flag(), _h2_size / M);
  }
  return h1_byte_size + _h2_size;
}
