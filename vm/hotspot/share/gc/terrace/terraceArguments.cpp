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
#include "gc/terrace/h2/h2Calls.hpp"
#include "gc/terrace/h2/h2File.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceArguments.hpp"
#include "gc/terrace/terraceHooks.hpp"
#include "gc/terrace/threads/gangBinding.hpp"
#include "gc/terrace/threads/terraceGang.hpp"
#include "gc/terrace/tiers/tierPlacer.hpp"
#include "logging/log.hpp"
#include "memory/universe.hpp"
#include "runtime/arguments.hpp"
#include "runtime/globals.hpp"
#include "runtime/globals_extension.hpp"
#include "runtime/java.hpp"
#include "runtime/os.hpp"
#include "utilities/formatBuffer.hpp"
#include "utilities/powerOfTwo.hpp"

size_t TerraceArguments::_h2_size = 0;

static bool is_h2_requested() {
  return AllocateH2At != NULL;
}

static void refuse(const char* message) {
  vm_exit_during_initialization(message, NULL);
}

void TerraceArguments::initialize_far() {
  if (!UseFarMemory) {
    if (FarMemoryTorture != 0 || FarMemoryPageOut) {
      refuse("FarMemoryTorture and FarMemoryPageOut exercise what -XX:+UseFarMemory turns on; add it");
    }
    return;
  }
  if (is_h2_requested()) {
    refuse("UseFarMemory cannot be combined with AllocateH2At: far memory works with G1, the second heap with ParallelGC");
  }
  if (UseParallelGC || UseSerialGC || UseZGC || UseShenandoahGC || UseEpsilonGC) {
    refuse("UseFarMemory works with G1 only; remove the option that selects another collector, or use -XX:+UseG1GC");
  }
  if (!FLAG_IS_DEFAULT(UseG1GC) && !UseG1GC) {
    refuse("UseFarMemory needs G1; remove -XX:-UseG1GC");
  }
  FLAG_SET_ERGO_IF_DEFAULT(UseG1GC, true);
  if (AllocateHeapAt != NULL) {
    refuse("UseFarMemory cannot be combined with AllocateHeapAt: pages of a file are not swapped");
  }
  if (FarMemoryOnceAbove > FarMemoryFreelyAbove) {
    refuse("FarMemoryOnceAbove must not be greater than FarMemoryFreelyAbove");
  }
  const char* const error = FarCalls::initialize();
  if (error != NULL) {
    refuse(error);
  }
  Arguments::PropertyList_add(new SystemProperty("terrace.far", "true", false));
}

// A start that asks for what the collector does not have goes on, as it does no harm.
void TerraceArguments::check_gc_threads() {
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
  }
}

void TerraceArguments::initialize() {
  if (!GangBinding::is_valid(GCThreadBinding)) {
    vm_exit_during_initialization(
      err_msg("GCThreadBinding=%s: must be none, static or dynamic", GCThreadBinding));
  }
  if (TerraceGang::is_requested()) {
    Arguments::PropertyList_add(new SystemProperty("terrace.gcthreads", "true", false));
  }
  check_gc_threads();
  initialize_far();
  const char* error = TierPlacer::check_flags();
  if (error != NULL) {
    refuse(error);
  }
  if (!is_h2_requested()) {
    if (FLAG_IS_CMDLINE(AllocateH2At)) {
      refuse("AllocateH2At= names no directory");   // an unset variable in a script, most likely
    }
    if (!FLAG_IS_DEFAULT(H2Size)) {
      refuse("H2Size is set, but not AllocateH2At=<directory>, which turns the second heap on");
    }
    return;
  }
  if (UseG1GC || UseSerialGC || UseZGC || UseShenandoahGC || UseEpsilonGC) {
    refuse("AllocateH2At: the second heap works with ParallelGC only; remove the option that selects another collector, "
           "or use -XX:+UseParallelGC");
  }
  if (!FLAG_IS_DEFAULT(UseParallelGC) && !UseParallelGC) {
    refuse("AllocateH2At: the second heap needs ParallelGC; remove -XX:-UseParallelGC");
  }
  FLAG_SET_ERGO_IF_DEFAULT(UseParallelGC, true);
  if (AllocateHeapAt != NULL) {
    refuse("AllocateH2At cannot be combined with AllocateHeapAt, which backs the whole reservation with one file");
  }
  if (UseLargePages && !UseTransparentHugePages) {
    refuse("AllocateH2At cannot be combined with explicit huge pages (UseLargePages, UseHugeTLBFS, UseSHM); "
           "use -XX:+UseTransparentHugePages");
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
    refuse(error);
  }
  error = H2File::check_directory(AllocateH2At);
  if (error != NULL) {
    vm_exit_during_initialization(err_msg("AllocateH2At=%s: %s", AllocateH2At, error));
  }
  if (H2Size != 0) {
    const julong available = H2File::free_space(AllocateH2At);
    if (H2Size > available) {
      vm_exit_during_initialization(
        err_msg("H2Size is " SIZE_FORMAT "M, but AllocateH2At=%s has " JULONG_FORMAT "M free; choose a smaller size or "
                "another directory", H2Size / M, AllocateH2At, available / M));
    }
    _h2_size = align_up(H2Size, H2RegionSize);
  }
  Arguments::PropertyList_add(new SystemProperty("terrace.h2", "true", false));
  if (H2FastSize != 0) {
    Arguments::PropertyList_add(new SystemProperty("terrace.tiers", "true", false));
  }
}

size_t TerraceArguments::with_explicit_h2_size(size_t displacement) {
  return displacement + MIN2(_h2_size, (size_t)OopEncodingHeapMax - displacement);
}

// What H1 leaves of the range in which compressed oops need no base.
size_t TerraceArguments::compressed_oops_room(size_t h1_byte_size) {
  const size_t taken = h1_byte_size + HeapBaseMinAddress;
  return taken < OopEncodingHeapMax ? (size_t)OopEncodingHeapMax - taken : 0;
}

// Upstream chooses what fits compressed oops, and says nothing.
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
  if (!is_h2_requested()) {
    return h1_byte_size;
  }
  if (H2Size == 0) {
    julong size = H2File::free_space(AllocateH2At) / 100 * 80;
    if (UseCompressedOops) {
      size = MIN2(size, (julong)compressed_oops_room(h1_byte_size));
    }
    _h2_size = align_down((size_t)size, H2RegionSize);
    if (_h2_size == 0) {
      vm_exit_during_initialization(
        err_msg("AllocateH2At=%s: no room for the second heap; free space in the directory, use a smaller -Xmx so that "
                "both fit compressed oops, or set -XX:H2Size", AllocateH2At));
    }
  } else if (!UseCompressedOops && FLAG_IS_DEFAULT(UseCompressedOops)) {
    log_info(gc, h2)("Compressed oops are off: the heap and H2Size together are too large for them");
  } else if (UseCompressedOops && !FLAG_IS_CMDLINE(MaxHeapSize) && FLAG_IS_DEFAULT(MaxRAM)) {
    warn_of_small_heap(h1_byte_size);
  }
  size_t limit;
  if (os::has_allocatable_memory_limit(&limit) && h1_byte_size + _h2_size > limit) {
    vm_exit_during_initialization(
      err_msg("AllocateH2At=%s: a limit on address space (ulimit -v) leaves no room for H2Size=" SIZE_FORMAT "m beside the "
              "heap; raise it or choose a smaller H2Size", AllocateH2At, _h2_size / M));
  }
  return h1_byte_size + _h2_size;
}
