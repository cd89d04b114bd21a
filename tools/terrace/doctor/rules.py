# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The rules of `terrace doctor`. Each derives a finding, with evidence and a remedy, from the observation of a virtual machine.

A rule is a function from an Observation to a Finding or None. It must return None if the observation lacks data.
"""
from ..common.faults import CONCURRENT, PAUSES, REFINEMENT
from .majors import collections_read, h1_too_small, loading, many_transfers, moves_nothing, refers_to_h1, targets_move
from .observation import Finding, KIB, Label, mb, MIB, Observation, percent, SecondHeap, sentence

__all__ = ["examine", "Finding", "Label", "mb", "MIB", "Observation", "percent", "RULES", "SecondHeap"]

# Mean number of program threads that wait for a page, and the least faults per second that explain the waiting.
MUCH_WAITING, MANY_FAULTS = 0.3, 20
# Processor time of a major fault: the request, the interrupt, and the switch to another thread and back (21 to 23 us by a loop over a
# mapped file, of 60 us in all). Eviction comes on top. No sample sees it as waiting, so a fast device can take as much of the program
# by faults as a slow one by waits. It counts as the same loss, as a mean number of threads.
FAULT_SECONDS = 20e-6
# Fraction of the old generation that is in use. Below it, the heap can be reduced.
ROOMY = 0.5
# Fraction of H2.
MOSTLY_GARBAGE = 0.4
# The same if free space is short. The VM only knows the garbage that the last marking through H2 found, and the real amount is larger.
MUCH_GARBAGE = 0.2
# Fractions of the regions in use that objects fill.
HALF_EMPTY, NEARLY_EMPTY = 0.6, 0.35
# Fraction of the regions in use that ends of regions take, although their labels are large.
MUCH_AT_ENDS = 0.25
# Half a region, less what the report rounds and regions with a few small objects.
NEARLY_HALF = 0.45
# Fraction of all regions that are in use. Above it, nearly empty regions will cause a shortage.
MANY_REGIONS = 0.25
# The upper bound of H2RegionSize, and the fewest regions of which one stays free for evacuation.
LARGEST_REGION, FEWEST_REGIONS = 256 * MIB, 16
# A fault that reads more bytes than this reads more than a few objects.
LARGE_READ = 64 * KIB
# Labels of objects that moved without a hint (h2Unhinted.hpp).
UNHINTED = (-(1 << 63), -(1 << 63) + 1)
WAITERS = {CONCURRENT: "marking", PAUSES: "pauses", REFINEMENT: "refinement"}


def examine(seen):
    return [finding for rule in RULES if (finding := rule(seen))]


def no_second_heap(seen):
    if seen.h2 is None and not seen.far and not seen.is_swapped:
        return Finding(
            "no-h2", "This VM has no second heap",
            "Its command Terrace.h2 is unknown or says that H2 is off, or its log names no H2.",
            "Start a Terrace JDK with -XX:AllocateH2At=DIR, a directory on a local disk. If it should have one, check the "
            "command line: jcmd PID VM.command_line.")


def never_hinted(seen):
    h2 = seen.h2
    if h2 and seen.has_started and not (h2.moved or h2.used or h2.abandoned or h2.tagged):
        return Finding(
            "no-hints", "Nothing was ever moved to the second heap",
            f"The program runs for {seen.uptime:.0f} s; " +
            ("no object has a tag." if h2.tagged == 0 else "its log names no transfer."),
            "Without hints, old objects move when the old generation is nearly full, and it was not. To move them sooner: with "
            "Spark, set spark.plugins=org.terrace.spark.TerracePlugin, put its jar on the class path, and cache "
            "with a storage level that keeps objects (MEMORY_AND_DISK); with the API, call SecondHeap.tagRoot and move. If "
            "the program keeps no large data for long, remove -XX:AllocateH2At.")


def transfers_fail(seen):
    h2 = seen.h2
    if not h2 or not seen.abandoned or h2.is_full:
        return None
    remedy = (f"Check the free space, the quota and the health of the device behind {h2.directory}, or name another "
              "directory with -XX:AllocateH2At.")
    if "on the node" in (h2.last_error or ""):
        remedy = "Other memory lies on the node: free it there, or name another node with -XX:AllocateH2OnNode."
    elif "memory" in (h2.last_error or ""):
        remedy = "Give the machine or the container more memory, or lower -Xmx: the VM needs some in addition to its heaps."
    return Finding(
        "transfers-fail", "Scheduled objects cannot be moved",
        f"{seen.abandoned} transfers were abandoned, the last one: {h2.last_error}.",
        remedy + " Until then, objects stay in H1. No data is lost, but H1 fills up.")


def has_garbage(seen):
    h2 = seen.h2
    return bool(h2 and h2.used and h2.garbage and
                h2.garbage >= (MUCH_GARBAGE if seen.is_short_of_room else MOSTLY_GARBAGE) * h2.used)


def moves_garbage(seen):
    if not has_garbage(seen):
        return None
    h2 = seen.h2
    unhinted = [label for label in h2.labels if label.label in UNHINTED]
    garbage = sum(label.garbage for label in unhinted)
    if 2 * garbage < h2.garbage:
        return None
    return Finding(
        "moves-garbage", "Much of what moved without a hint died in H2",
        f"{mb(garbage)} of the {mb(sum(label.used for label in unhinted))} that moved to H2 without a hint are known to be garbage, "
        f"in regions that still hold something live. {mb(h2.moved)} have moved so far.",
        "Objects moved before they died. Raise -Xmx, so that they die in H1, or tag the data that stays: tagged objects move first, "
        "and the others only if that is not enough. A lower -XX:H2GarbageThreshold evacuates such regions sooner.")


def pinned(seen):
    h2 = seen.h2
    if not has_garbage(seen) or moves_garbage(seen):
        return None
    worst = max(h2.labels, key=lambda label: label.garbage, default=None)
    evidence = (f"At least {mb(min(h2.garbage, h2.used))} of the {mb(h2.used)} in H2 are garbage in regions that still hold "
                "something live")
    evidence += f"; {mb(worst.garbage)} of it has the label {worst.label}." if worst else "."
    if seen.is_short_of_room:
        evidence += f" {h2.regions_in_use} of {h2.regions} regions are in use."
    return Finding(
        "pinned", f"{'Hints keep garbage alive' if h2.labels else 'Garbage stays in H2'}: objects that die at different times share regions",
        evidence,
        # A log does not tell whether the garbage was tagged.
        ("" if h2.labels else "If the program tags nothing, raise -Xmx, so that objects die before they move, or lower "
         "-XX:H2GarbageThreshold. ")
        + "A region is freed when all its objects are dead. Give each group that dies as a whole a label of its own (with "
        "Spark the plugin does: one per RDD), and tag only objects that no longer change"
        + (f". If groups are much smaller than a region ({mb(h2.region_size)}), make regions smaller: "
           f"-XX:H2RegionSize={max(2, h2.region_size // MIB // 4)}m." if h2.region_size > 2 * MIB else ".")
        + " jcmd PID Terrace.h2 -objects names the classes that refer to the remaining objects.")


def kept_by_another(seen):
    h2 = seen.h2
    if not h2 or not h2.used or not seen.is_short_of_room:
        return None
    kept = [label for label in h2.labels if not label.held and label.holders]
    if sum(label.used for label in kept) < MOSTLY_GARBAGE * h2.used:
        return None
    holders = sorted({holder for label in kept for holder in label.holders})
    return Finding(
        "kept-by-label", "H2 is short of space, and much of it is alive only because other parts of H2 refer to it",
        f"{mb(sum(label.used for label in kept))} of {mb(h2.used)} have no reference from outside of H2; they are kept by "
        f"labels {', '.join(map(str, holders[:5]))}.",
        "If the program no longer needs them, clear those references before the structures that hold them are moved, or "
        "drop the holders. jcmd PID Terrace.h2 -objects finds the garbage and frees it.")


def region_ends(seen):
    h2 = seen.h2
    if not h2 or not h2.regions_in_use or h2.regions_in_use < MANY_REGIONS * h2.regions:
        return None
    # One region of each label may still be filled. In the others, the next object did not fit, so two regions together have more than
    # one would hold. Labels with less in their regions have another cause.
    large = [label for label in h2.labels
             if NEARLY_HALF * (label.regions // 2 * 2) * h2.region_size <= label.used < (label.regions - 1) * h2.region_size]
    unused = sum((label.regions - 1) * h2.region_size - label.used for label in large)
    if not unused or unused < MUCH_AT_ENDS * h2.taken:
        return None
    worst = max(large, key=lambda label: label.regions)
    larger = min(8 * h2.region_size, LARGEST_REGION, power_of_two(h2.regions * h2.region_size // FEWEST_REGIONS))
    remedy = (f"Make regions larger: -XX:H2RegionSize={larger // MIB}m (by default a region is at most a 32nd of H2Size)"
              if larger > h2.region_size else "Raise -XX:H2Size, so that regions can be larger")
    return Finding(
        "region-ends", "Much of H2 is unused, because large objects do not fill its regions",
        f"{mb(h2.used)} of objects take {h2.regions_in_use} of {h2.regions} regions of {mb(h2.region_size)}; {mb(unused)} at the ends of "
        f"regions are unused. A region of label {worst.label} has {mb(worst.used / worst.regions)} on average.",
        remedy + ", or make the objects smaller. An array has a header: two arrays of exactly half a region do not fit into one.")


def power_of_two(limit):
    """Returns the largest power of two that is not above a limit."""
    return 1 << (limit.bit_length() - 1)


def half_empty(seen):
    h2 = seen.h2
    taken = h2.taken if h2 else 0
    if not taken or not seen.is_short_of_room or region_ends(seen) or h2.used > HALF_EMPTY * taken:
        return None
    return Finding(
        "half-empty", "H2 is short of space, and its regions are not filled",
        f"{mb(h2.used)} of objects take {h2.regions_in_use} regions of {mb(h2.region_size)}, {mb(taken)}"
        + (f"; there are {len(h2.labels)} labels." if h2.labels else "."),
        ("Each label begins a region of its own. " if h2.labels else
         "Each label begins a region of its own, and so does an object that does not fit (terrace doctor PID tells which). ")
        + "Give objects that die together one label, or make regions smaller"
        + (f": -XX:H2RegionSize={max(2, h2.region_size // MIB // 4)}m." if h2.region_size > 2 * MIB else "."))


def small_labels(seen):
    h2 = seen.h2
    taken = h2.taken if h2 else 0
    if not taken or region_ends(seen) or half_empty(seen) or h2.regions_in_use < MANY_REGIONS * h2.regions or h2.used > NEARLY_EMPTY * taken:
        return None
    if 2 * len(h2.labels) < h2.regions_in_use:
        return None
    return Finding(
        "small-labels", "The regions of H2 are nearly empty: many labels have less than a region",
        f"{mb(h2.used)} of objects in {len(h2.labels)} labels take {h2.regions_in_use} of {h2.regions} regions of {mb(h2.region_size)}, "
        f"{percent(h2.used / taken)} full.",
        "H2 will be full with little in it. Labels below a quarter of a region share regions. Give objects that die together one "
        "label, or make regions smaller"
        + (f": -XX:H2RegionSize={max(2, h2.region_size // MIB // 4)}m." if h2.region_size > 2 * MIB else "."))


def h2_full(seen):
    h2 = seen.h2
    if h2 and h2.is_full and seen.is_short_of_room and not pinned(seen) and not region_ends(seen) and not half_empty(seen):
        return Finding(
            "h2-full", "The second heap is full",
            f"{h2.abandoned} transfers were abandoned because H2 is full: {h2.regions_in_use} of {h2.regions} regions are "
            f"in use, {mb(h2.used)} of objects.",
            f"Raise -XX:H2Size (now {mb(h2.regions * h2.region_size)}) as far as {h2.directory} has space, or keep less data. If much "
            "of it should be garbage by now, terrace doctor PID --objects finds the references that keep it. It runs a major "
            "collection that reads all of H2.")


def is_thrashing(seen):
    h2 = seen.h2
    if not h2 or h2.resident is None or h2.resident >= 0.95 * h2.used or seen.waiting is None or not seen.seconds:
        return False
    faults = (seen.major_faults or 0) / seen.seconds
    return faults >= MANY_FAULTS and max(seen.waiting, faults * FAULT_SECONDS) >= MUCH_WAITING


def reads_ahead(seen):
    if not is_thrashing(seen) or seen.random_access is not None or not seen.device_read or not seen.waited:
        return None
    per_fault = seen.device_read / seen.major_faults
    label = max(seen.waited, key=seen.waited.get)
    if per_fault <= LARGE_READ or seen.h2.reads.get(label) == "random":
        return None
    return Finding(
        "reads-ahead", "H2 is read ahead of a program that waits for each page",
        f"Each page fault reads {per_fault / KIB:.0f} KB. {percent(seen.waited[label] / sum(seen.waited.values()))} of the waits are for "
        f"label {label}, which is read sequentially: by huge pages, and ahead.",
        "If the program reads this data from the begin to the end, it needs more memory. If it reads single objects, the VM should find "
        "that out within seconds (-Xlog:gc+h2 says so). Otherwise start it with -XX:+H2RandomAccess.")


def thrashing(seen):
    h2 = seen.h2
    if not is_thrashing(seen):
        return None
    faults = seen.major_faults / seen.seconds
    evidence = f"On average {seen.waiting:.1f} threads wait for the device; {faults:.0f} page faults"
    remedies = []
    if seen.device_read is not None:
        per_fault = seen.device_read / seen.major_faults
        evidence += f" and {mb(seen.device_read / seen.seconds)} read a second, {per_fault / KIB:.0f} KB for each fault"
        if per_fault > LARGE_READ and seen.random_access is False:
            remedies.append("if the program reads single objects, leave out -XX:-H2RandomAccess: the VM then finds out which "
                            "labels to read by small pages")
    else:
        evidence += " a second"
    if seen.waiting < MUCH_WAITING:
        evidence += f". The faults take {faults * FAULT_SECONDS:.1f} processors, beside the waits"
    evidence += f". {mb(h2.resident)} of the {mb(h2.used)} in H2 are in memory."
    if seen.waited:
        evidence += f" {waited_for(seen.waited)}"
    remedies += memory_for_pages(seen)
    remedies.append("if it reads structures one after the other, let it call SecondHeap.prefetch and dismiss (the Spark "
                    "plugin does)")
    return Finding("thrashing", "H2 thrashes: the program waits for pages that memory does not hold", evidence,
                   sentence("; ".join(remedies)))


def waited_for(waited):
    worst = sorted(waited, key=waited.get, reverse=True)
    text = ", ".join(f"{percent(waited[label] / sum(waited.values()))} label {label}" for label in worst[:3])
    more = f", the remainder {len(worst) - 3} other labels" if len(worst) > 3 else ""
    return f"They waited for pages of H2 for {sum(waited.values()):.1f} s, summed over threads: {text}{more}."


def memory_for_pages(seen):
    missing = seen.h2.used - seen.h2.resident
    enough = seen.heap_for(seen.most_old) if seen.most_old else None
    if enough and seen.max_heap - enough > missing / 2:
        yield (f"H1 seems larger than necessary (never more than {mb(seen.most_old)} of {mb(seen.max_old)} in the old "
               f"generation during the observation): if that is typical, an -Xmx of {mb(enough)} instead of "
               f"{mb(seen.max_heap)} leaves more memory to pages of H2")
    if seen.limit is None:
        yield f"give the machine more memory: all of H2 needs {mb(missing)} more"
    elif seen.anonymous is None:
        yield f"give the container more memory (now {mb(seen.limit)}): all of H2 needs {mb(missing)} more"
    else:
        yield (f"give the container more memory (now {mb(seen.limit)}, of which {mb(max(0, seen.limit - seen.anonymous))} "
               f"can hold pages): all of H2 needs {mb(missing)} more")


def collector_fetches(seen):
    if not seen.is_swapped or seen.by_collector < max(MANY_FAULTS, seen.by_program):
        return None
    if not seen.g1 and not seen.shenandoah:
        remedy = ("Give the program more memory, or a smaller -Xmx: every collector except G1 with far memory reads all of the heap. On a "
                  "Terrace JDK, -XX:+UseFarMemory selects it")
    elif not seen.far:
        remedy = "Start a Terrace JDK with -XX:+UseFarMemory: marking then defers pages that are swapped out"
    elif seen.shenandoah:
        remedy = ("Give the program more memory, or use G1: under Shenandoah, each cycle reads all of the heap once. Under G1, far memory "
                  "marks from summaries of pages")
    elif seen.summaries is False:
        remedy = ("Let the VM call userfaultfd (-Xlog:gc+far says at the start why it cannot: Linux before 6.7, a container that forbids "
                  "the call): without summaries, each cycle reads all live objects")
    else:
        remedy = ("The first cycle reads all of the heap once. If this continues, too much is written between two cycles, or pauses read "
                  "the objects that they move (see jcmd PID Terrace.far): give the program more memory")
    return Finding(
        "collector-fetches", "The collector reads pages that the program does not use", swapping(seen), remedy + ".")


def marking_competes(seen):
    if not seen.is_swapped or collector_fetches(seen) or seen.waiting is None or seen.waiting < MUCH_WAITING:
        return None
    if seen.by_collector < MANY_FAULTS:
        return None
    return Finding(
        "marking-competes", "Marking competes with the program for the device and for memory",
        f"{swapping(seen)} On average {seen.waiting:.1f} threads of the program wait.",
        ("Start a Terrace JDK with -XX:+UseFarMemory" if (seen.g1 or seen.shenandoah) and not seen.far else
         "Run fewer threads that mark (-XX:ConcGCThreads=1)" if seen.shenandoah else
         "Run fewer cycles (a higher -XX:InitiatingHeapOccupancyPercent, a longer -XX:G1PeriodicGCInterval) and fewer threads that "
         "mark (-XX:ConcGCThreads=1)") + ", or give the program more memory.")


def swap_instead_of_h2(seen):
    if seen.h2 or not seen.is_swapped or seen.waiting is None or seen.waiting < MUCH_WAITING or seen.by_program < MANY_FAULTS:
        return None
    return Finding(
        "swap", "The program itself waits for swap",
        f"{swapping(seen)} On average {seen.waiting:.1f} threads of the program wait.",
        "Swap moves single pages, whatever their age. If much of the heap is long-lived data that is used as a whole (caches, tables, "
        "partitions of Spark), move it to a second heap: -XX:AllocateH2At=DIR on a local disk, and hints (docs/use/spark.md, "
        "docs/use/semantics.md). Otherwise give the program more memory.")


def swapping(seen):
    return (f"{mb(seen.swapped)} are swapped out, of an -Xmx of {mb(seen.max_heap)}. Major faults a second: program "
            f"{seen.by_program:.0f}, " + ", ".join(f"{WAITERS[group]} {seen.faults.get(group, 0) / seen.seconds:.0f}" for group in WAITERS)
            + ".")


def fits_in_h1(seen):
    h2 = seen.h2
    if not h2 or not h2.used or seen.most_old is None or not seen.max_old or not seen.has_started:
        return None
    if seen.most_old + max(h2.used, h2.moved) > ROOMY * seen.max_old:
        return None
    return Finding(
        "fits", "Everything would fit into H1",
        f"{mb(seen.most_old)} in the old generation and all that was ever moved to H2, {mb(h2.moved)}, are together less "
        f"than half of the old generation's {mb(seen.max_old)}.",
        "The second heap has no benefit here: remove -XX:AllocateH2At, or lower -Xmx and use the memory for something else.")


def in_memory(seen):
    if seen.h2 and seen.file_system in ("tmpfs", "ramfs"):
        return Finding(
            "tmpfs", "H2 lies in memory, not on a device",
            f"{seen.h2.directory} is {seen.file_system}: objects that are moved there still use memory.",
            "Name a directory on a disk with -XX:AllocateH2At.")


def on_network(seen):
    if seen.h2 and seen.file_system in ("nfs", "nfs4", "cifs", "smb3", "9p"):
        return Finding(
            "network", "H2 lies on a network file system",
            f"{seen.h2.directory} is {seen.file_system}. When the server does not answer, the program stops, and a "
            "page that the server lost ends the VM.",
            "Name a directory on a local disk with -XX:AllocateH2At.")


def copies_on_write(seen):
    if seen.h2 and seen.file_system in ("zfs", "bcachefs", "nilfs2", "f2fs"):
        return Finding(
            "copy-on-write", "H2 lies on a file system that allocates space for each changed page",
            f"{seen.h2.directory} is {seen.file_system}. When it is full, a store to H2 ends the VM.",
            "Name a directory on ext4 or XFS with -XX:AllocateH2At, or keep space free there.")


def locks_memory(seen):
    if seen.h2 and seen.h2.unlocks:
        return Finding(
            "mlockall", "The program locks its memory (mlockall)",
            f"The VM took H2 out of locked memory {seen.h2.unlocks} times. Each time, mlockall read all of H2.",
            "When the program does that once, at its start, H2 is empty and it costs nothing (Cassandra does). When it does so later, "
            "turn that off in the program (Elasticsearch, OpenSearch: bootstrap.memory_lock), and turn swap off instead. H1 stays locked.")


RULES = (no_second_heap, never_hinted, transfers_fail, moves_garbage, pinned, kept_by_another, region_ends, half_empty, small_labels, h2_full,
         h1_too_small, moves_nothing, many_transfers, loading, refers_to_h1, targets_move, collections_read, reads_ahead, thrashing,
         collector_fetches, marking_competes, swap_instead_of_h2, fits_in_h1, in_memory, on_network, copies_on_write, locks_memory)
