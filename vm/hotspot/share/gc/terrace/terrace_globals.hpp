/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACE_GLOBALS_HPP
#define SHARE_GC_TERRACE_TERRACE_GLOBALS_HPP

#include "gc/terrace/terraceMacros.hpp"
#include "runtime/globals_shared.hpp"

// Flags of the second heap (H2), of GC threads and of far memory. docs/use/flags.md is generated
// from this file.

#if INCLUDE_TERRACE

#define GC_TERRACE_FLAGS(develop,                                           \
                         develop_pd,                                        \
                         product,                                           \
                         product_pd,                                        \
                         notproduct,                                        \
                         range,                                             \
                         constraint)                                        \
                                                                            \
  product(ccstr, AllocateH2At, NULL,                                        \
          "Directory that backs the second heap (H2). Setting it turns H2 " \
          "on and selects ParallelGC instead of G1, which -Xlog:gc+h2 "     \
          "reports at start. The VM creates a file there, unlinks it at "   \
          "once and never touches existing files. A local disk or NVMe "    \
          "drive is best. A directory on tmpfs costs memory.")              \
                                                                            \
  product(intx, AllocateH2OnNode, -1,                                       \
          "NUMA node whose memory backs the second heap (H2), instead of "  \
          "AllocateH2At: CXL or persistent memory, a node without "         \
          "processors as a rule. All other memory of the process comes "    \
          "from the other nodes. With H2FastSize, pages of H2 move between "\
          "the node and the others. When the node is full, objects stay in "\
          "the heap. Linux only. -1: no node.")                             \
          range(-1, 1023)                                                   \
                                                                            \
  product(size_t, H2Size, 0,                                                \
          "Capacity of H2 in bytes, at least 2m, rounded up to whole "      \
          "regions. 0 takes 80 percent of the free space of AllocateH2At, " \
          "or of the free memory of AllocateH2OnNode, but no more than "    \
          "keeps compressed oops on. If H2 and the heap together exceed "   \
          "the range of compressed oops, these are turned off, which makes "\
          "every reference larger. Without -Xmx the heap may become "       \
          "smaller to stay in that range: set both.")                       \
          range(0, max_uintx)                                               \
                                                                            \
  product(size_t, H2RegionSize, 16 * M,                                     \
          "Size of an H2 region in bytes, a power of two. A region is "     \
          "freed as a whole: small regions free space sooner, large ones "  \
          "need less bookkeeping memory. By default a 32nd of H2Size where "\
          "that is less.")                                                  \
          range(2 * M, 256 * M)                                             \
                                                                            \
  product(bool, H2HugePages, true,                                          \
          "Advise the system to page H2 in and out by huge pages. By "      \
          "default only where the file system supports them: ext4 since "   \
          "Linux 6.16, XFS since 5.18. Much faster for programs that read " \
          "their data in passes.")                                          \
                                                                            \
  product(bool, H2RandomAccess, false,                                      \
          "Expect the program to read single objects all over H2: a read "  \
          "from the device is one small page, and only pages that the "     \
          "program prefetches are read ahead. Turns H2HugePages off unless "\
          "that is set. Slows down programs that read in passes. Off: "     \
          "expect passes. By default, the VM detects for each label how "   \
          "the program reads it.")                                          \
                                                                            \
  product(uintx, H2PagerThreads, 1,                                         \
          "Threads that read pages which the program prefetches "           \
          "(SecondHeap.prefetch) and page out those that it dismisses. One "\
          "for each 8 processors by default, up to 8. A device that serves "\
          "many reads at a time benefits from more.")                       \
          range(1, 64)                                                      \
                                                                            \
  product(uintx, H2HighThreshold, 85,                                       \
          "Percent of the old generation's maximum size. When more is live "\
          "at a major collection, tagged objects are moved even if no move "\
          "was advised, and, if that is not enough, objects that H2 has "   \
          "come to refer to. 100 moves on advice only.")                    \
          range(1, 100)                                                     \
                                                                            \
  product(uintx, H2LowThreshold, 50,                                        \
          "Percent of the old generation's maximum size. A transfer that "  \
          "H2HighThreshold started stops once no more than this would stay "\
          "live. Lower values move more objects at once. As long as less "  \
          "is in use, scheduled objects wait for a collection that the "    \
          "program or an allocation requests.")                             \
          range(0, 100)                                                     \
                                                                            \
  product(uintx, H2OverheadThreshold, 10,                                   \
          "Percent of the time. When major collections that an allocation " \
          "needs take more, a transfer starts at H2LowThreshold, and each " \
          "further such collection in a row halves that. 100: never.")      \
          range(1, 100)                                                     \
                                                                            \
  product(uintx, H2GarbageThreshold, 50,                                    \
          "Percent of H2. When more may be garbage, a major collection "    \
          "marks through H2 and evacuates sparse regions, although H2 has " \
          "free space. This takes at most a 65th of the time, and happens " \
          "only while H2 grows. 100: only when free space is short.")       \
          range(1, 100)                                                     \
                                                                            \
  product(bool, H2MoveUnhinted, true,                                       \
          "Move old arrays of primitives to H2, whichever objects refer to "\
          "them, when more than H2HighThreshold is live and moving the "    \
          "tagged objects does not bring it down to H2LowThreshold. If "    \
          "more than H2HighThreshold would still be live, also move old "   \
          "structures that the program has not written recently. Arrays "   \
          "that the heap has no space for are allocated in H2: those that " \
          "are larger than the heap, and before an OutOfMemoryError those " \
          "of at least half of H2RegionSize. Lets a program hold more than "\
          "its heap without a hint.")                                       \
                                                                            \
  product(uintx, H2TransferMillis, 0,                                       \
          "Goal for the time that a transfer adds to the pause of a major " \
          "collection, in milliseconds. A longer transfer is split into "   \
          "parts, one for each collection. 0: MaxGCPauseMillis, if that is "\
          "set, else no goal. A part is large enough that it lasts at "     \
          "least as long as the remainder of the pause, and before an "     \
          "OutOfMemoryError all moves at once.")                            \
          range(0, max_juint)                                               \
                                                                            \
  product(size_t, H2TransferPartSize, 0, DIAGNOSTIC,                        \
          "Bytes that a transfer moves at most, but at least one object, "  \
          "whatever the goal for the pause; the next collections move the " \
          "remainder. 0: as H2TransferMillis says.")                        \
          range(0, max_uintx)                                               \
                                                                            \
  product(bool, VerifyH2, false, DIAGNOSTIC,                                \
          "Verify H2 before every collection: regions are parsable, cards " \
          "cover references to H1, dependencies cover references between "  \
          "regions, nothing refers to a free region. Reads all of H2 each " \
          "time. VerifyBeforeGC and VerifyAfterGC verify H2 as well.")      \
                                                                            \
  product(uintx, H2Torture, 0, DIAGNOSTIC,                                  \
          "At every major collection move about one in this many surviving "\
          "objects, with all that they reach, to H2, in addition to tagged "\
          "objects. 0 is off. Exercises H2 under any program; slow.")       \
          range(0, max_juint)                                               \
                                                                            \
  product(uintx, H2TortureSeed, 0, DIAGNOSTIC,                              \
          "Seed of the random choice that H2Torture makes.")                \
                                                                            \
  product(uintx, H2FailTransferAt, 0, DIAGNOSTIC,                           \
          "Let the write to the device with this number, counted from the " \
          "start of the VM, fail as on a full disk. 0 is never.")           \
                                                                            \
  product(uintx, H2DeepMarkingInterval, 0, DIAGNOSTIC,                      \
          "Mark through the objects of H2 at every major collection with a "\
          "number divisible by this, in addition to those for which free "  \
          "space in H2 or H1 is short. 0: only at those. 1 is slow: it "    \
          "reads all that is reachable in H2 each time.")                   \
          range(0, max_juint)                                               \
                                                                            \
  product(bool, H2Evacuate, true, DIAGNOSTIC,                               \
          "After a marking through the objects of H2, evacuate regions of " \
          "which at most half is reachable into other regions.")            \
                                                                            \
  product(bool, H2MarkAhead, false, EXPERIMENTAL,                           \
          "Mark the objects of H2 concurrently when the next major "        \
          "collection will mark through them, for a shorter pause. Costs "  \
          "processor time and reads from the device, and 1/64 of H2Size on "\
          "it meanwhile. Objects that die meanwhile are freed later. Needs "\
          "AllocateH2At or AllocateH2OnNode.")                              \
                                                                            \
  product(bool, H2UnionFind, false, DIAGNOSTIC,                             \
          "Regions of H2 that refer to each other live and die together, "  \
          "not each one with the regions that refer to it. Needs less "     \
          "memory and keeps more garbage; for comparison.")                 \
                                                                            \
  product(size_t, H2ResidentLimit, 0, DIAGNOSTIC,                           \
          "Begin as if the system had been seen to keep no more than this " \
          "many bytes of H2 in memory: structures that the program "        \
          "dismisses are then paged out from the first one on. 0: measure " \
          "it.")                                                            \
          range(0, max_uintx)                                               \
                                                                            \
  product(size_t, H2FastSize, 0,                                            \
          "Bytes of H2 that are to stay in memory: regions of labels that " \
          "the program has placed there (SecondHeap.place), up to this "    \
          "size. Counts whole regions. If H2 does not fit into memory, "    \
          "regions of slow labels are paged out after use, so that they "   \
          "do not evict fast ones. 0 turns tiers off. H2FastSize and the "  \
          "heap must fit into memory together.")                            \
          range(0, max_uintx)                                               \
                                                                            \
  product(ccstr, H2TierPolicy, "hints",                                     \
          "With H2FastSize, which regions are fast. hints: as labels are "  \
          "placed; monitor: those that the program accesses most; both: as "\
          "labels are placed at first, later those that are accessed most " \
          "(Linux 6.7; hints otherwise). For comparison interleave: every " \
          "third one, whatever its label; lru: the system decides alone; "  \
          "slow: none; writes: those that the program writes most (Linux "  \
          "6.7, too).")                                                     \
                                                                            \
  product(uintx, H2SampleInterval, 5000,                                    \
          "With H2TierPolicy=monitor, both or writes, milliseconds after "  \
          "which regions change their tiers. In this time, each region is " \
          "sampled up to 64 times, in windows of at most this length.")     \
          range(10, max_jint)                                               \
                                                                            \
  product(uintx, H2SampleBudget, 1,                                         \
          "Percent of a processor for sampling accesses, including the "    \
          "page faults that it causes. If that is too little for all of H2 "\
          "in H2SampleInterval, regions are sampled in rotation.")          \
          range(1, 100)                                                     \
                                                                            \
  product(size_t, H2MigrationRate, 64 * M,                                  \
          "Bytes a second that may change their tier because of accesses, " \
          "in both directions together. 0: none do. With AllocateH2OnNode " \
          "it also bounds the moves that follow from a placement of "       \
          "labels, unless it is 0.")                                        \
          range(0, max_uintx)                                               \
                                                                            \
  product(bool, GCAdaptiveStealing, false,                                  \
          "Let GC workers steal only from workers that have not run out of "\
          "work, and stop sooner. For ParallelGC, G1 and Shenandoah. Fewer "\
          "attempts fail, and fewer queues are read; on two processors "    \
          "that has saved no time.")                                        \
                                                                            \
  product(bool, GCStableWorkers, false,                                     \
          "Give a GC thread the same worker id in every task, instead of "  \
          "an id by the order of waking up, so that it works on the same "  \
          "queues, card stripes and marking structures as before.")         \
                                                                            \
  product(ccstr, GCThreadBinding, "none",                                   \
          "Bind GC threads that work in pauses to processors: none; "       \
          "static: each one to one of the allowed processors; dynamic: the "\
          "same, but a thread that has to wait for its processor moves to " \
          "an idle one or is unbound.")                                     \
                                                                            \
  product(bool, GCTaskStatistics, false, DIAGNOSTIC,                        \
          "Count steal attempts, time in termination and claimed subtasks " \
          "of GC workers, for -Xlog:gc+task+stats=debug and the event "     \
          "org.terrace.GCThreads. Implied by the other flags of GC threads.") \
                                                                            \
  product(bool, UseFarMemory, false,                                        \
          "Let concurrent marking defer pages of the heap that are swapped "\
          "out: it marks them last, in the order of addresses, prefetches " \
          "them and pages them out again. Selects G1, unless "              \
          "-XX:+UseShenandoahGC is given. No effect on marking while all "  \
          "of the heap is in memory, or less than 15 percent of it is "     \
          "free. If the flag is not given, G1 turns it on as soon as a "    \
          "cycle begins while a part of a process whose memory is limited " \
          "is swapped out.")                                                \
                                                                            \
  product(bool, FarMemorySummaries, true, DIAGNOSTIC,                       \
          "With UseFarMemory, and while the machine has swap, keep the "    \
          "references of each page, so that pages not written since then "  \
          "need not be read in. Costs a fault at the first write to each "  \
          "page in a cycle, and up to 1/32 of the heap. With Shenandoah "    \
          "only if the flag is given.")                                     \
                                                                            \
  product(bool, VerifyFarMemory, false, DIAGNOSTIC,                         \
          "At every remark, mark all strongly reachable objects once more " \
          "and compare: concurrent marking must have found them. Slow, in " \
          "a pause, and needs 1/64 of the heap. With Shenandoah, it turns " \
          "ShenandoahVerify on.")                                           \
                                                                            \
  product(uintx, FarMemoryTorture, 0, DIAGNOSTIC,                           \
          "With UseFarMemory, treat about one in this many pages of the "   \
          "heap as swapped out, others after a while. 0 is off. Exercises " \
          "far memory under any program, without swap.")                    \
          range(0, max_juint)                                               \
                                                                            \
  product(uintx, FarMemoryTortureSeed, 0, DIAGNOSTIC,                       \
          "Seed of the random choice that FarMemoryTorture makes.")         \
                                                                            \
  product(uintx, FarMemoryFreelyAbove, 50, DIAGNOSTIC,                      \
          "Percent of the heap. While more than that is free, marking "     \
          "defers absent pages as often as it reaches them.")               \
          range(0, 100)                                                     \
                                                                            \
  product(uintx, FarMemoryOnceAbove, 15, DIAGNOSTIC,                        \
          "Percent of the heap. While more than that is free, marking "     \
          "defers absent pages until it has swept over them in the order "  \
          "of addresses once; with less, it defers none.")                  \
          range(0, 100)                                                     \
                                                                            \
  product(bool, FarMemoryPageOut, false, DIAGNOSTIC,                        \
          "With UseFarMemory, have the system page out random parts of the "\
          "heap while marking runs. Needs swap.")                           \
                                                                            \
  develop(bool, FarMemoryForgetWrites, false,                               \
          "A fault to be found by VerifyFarMemory: treat pages that were "  \
          "written as unwritten.")                                          \

// end of GC_TERRACE_FLAGS

DECLARE_FLAGS(GC_TERRACE_FLAGS)

#else
#define GC_TERRACE_FLAGS(...)
#endif // INCLUDE_TERRACE

#endif // SHARE_GC_TERRACE_TERRACE_GLOBALS_HPP
