# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The plan of `terrace bench far`: programs with their sizes, JVMs, and the fractions of the heap in memory."""
from dataclasses import dataclass

from ..measure import benchmarks

MIB = 1 << 20
ALL = 100
LOCALS = (100, 50, 25, 13)
QUICK_LOCALS = (25,)
# An ample allowance in MB for memory outside of the heap, if the complete heap is in memory.
ROOMY = 512
QUICK_REPEATS, FULL_REPEATS = 1, 3
ANY_HEAP = "--conf spark.testing.reservedMemory=33554432"


@dataclass(frozen=True)
class Size:
    words: str
    heap: int            # -Xms and -Xmx, in MB
    timeout: int         # seconds


@dataclass(frozen=True)
class Program:
    title: str
    quick: Size
    full: Size
    beside: int          # MB of resident memory that the VM needs in addition to the heap
    spark: bool = False
    meets: bool = False  # synchronizes with the bench: loads its data with ample memory, and works when memory is short
    locks: bool = False  # would lock its memory (mlockall), which prevents swapping
    g1: tuple = ()       # flags for G1 only
    shenandoah: tuple = ()

    def size(self, quick):
        return self.quick if quick else self.full


PROGRAMS = {
    "keyvalue": Program(
        "a hash map whose keys are requested by Zipf's law, 2 % of operations are updates",
        Size("--megabytes 640 --seconds 45 --before 8", 1024, 240),
        Size("--megabytes 2600 --seconds 150 --before 15", 4096, 900), beside=64, meets=True,
        # The program requests cycles, so that all sides have them at the same time. Under Shenandoah, requested cycles use no
        # summaries, so the VM begins them instead.
        g1=("-XX:+ExplicitGCInvokesConcurrent", "-XX:-G1UseAdaptiveIHOP", "-XX:InitiatingHeapOccupancyPercent=85"),
        shenandoah=("-XX:+DisableExplicitGC", "-XX:+UnlockExperimentalVMOptions", "-XX:ShenandoahGuaranteedGCInterval=8000")),
    "kmeans": Program(
        "Spark k-means over cached points",
        Size(f"--rows 700000 --iterations 4 --partitions 8 --storage-level MEMORY_ONLY {ANY_HEAP}", 384, 240),
        Size(f"--rows 4000000 --iterations 8 --partitions 16 --storage-level MEMORY_ONLY {ANY_HEAP}", 1536, 1800),
        beside=192, spark=True),
    "linreg": Program(
        "Spark linear regression over cached rows",
        Size(f"--rows 200000 --iterations 4 --partitions 8 --storage-level MEMORY_ONLY {ANY_HEAP}", 384, 240),
        Size(f"--rows 1000000 --iterations 8 --partitions 16 --storage-level MEMORY_ONLY {ANY_HEAP}", 1536, 1800),
        beside=192, spark=True),
    "closure": Program(
        "Spark transitive closure with the paths of each round cached",
        Size(f"--vertices 500 --edges 2000 --partitions 8 --storage-level MEMORY_ONLY {ANY_HEAP}", 384, 240),
        Size(f"--vertices 1000 --edges 4000 --partitions 16 --storage-level MEMORY_ONLY {ANY_HEAP}", 1536, 1800),
        beside=192, spark=True),
    "cassandra": Program(
        "Cassandra in the JVM: clients write rows, then read and write them",
        Size("--size 40000 --warmup 0 --iterations 1", 384, 240),
        Size("--size 250000 --warmup 0 --iterations 2", 1024, 1800), beside=224, locks=True),
}

# A quick run ends within ten minutes.
QUICK_PROGRAMS = ("keyvalue", "kmeans", "cassandra")


@dataclass(frozen=True)
class Side:
    title: str
    jdk: str
    flags: tuple = ()


SIDES = {
    "stock": Side("stock", "stock"),
    "far": Side("far memory", "terrace", ("-XX:+UseFarMemory",)),
    "deferred": Side("without summaries", "terrace",
                     ("-XX:+UseFarMemory", "-XX:+UnlockDiagnosticVMOptions", "-XX:-FarMemorySummaries")),
    "summaries": Side("with summaries", "terrace",
                      ("-XX:+UseFarMemory", "-XX:+UnlockDiagnosticVMOptions", "-XX:+FarMemorySummaries")),
}


@dataclass(frozen=True)
class Collector:
    title: str
    flag: str
    sides: tuple


COLLECTORS = {
    "g1": Collector("G1", "-XX:+UseG1GC", ("stock", "far", "deferred")),
    # Shenandoah has no summaries by default.
    "shenandoah": Collector("Shenandoah", "-XX:+UseShenandoahGC", ("stock", "far", "summaries")),
}


def title(side, collector):
    return f"{SIDES[side].title} {COLLECTORS[collector].title}" if side == "stock" else SIDES[side].title


def cap(program, quick, local):
    """Returns the memory limit in bytes for which the given percentage of the heap is in memory."""
    one = PROGRAMS[program]
    heap = one.size(quick).heap
    return (heap + ROOMY if local == ALL else heap * local // ALL + one.beside) * MIB


def wide(program, quick):
    """Returns the limit while a program that synchronizes with the bench loads its data."""
    return cap(program, quick, ALL)


def swap_size(programs, quick):
    """Returns twice the size of the largest heap, because a page keeps its slot while it is in memory."""
    return max(2 * PROGRAMS[program].size(quick).heap for program in programs) * MIB


# Root may lock any amount of memory regardless of the limit, so the capability is dropped.
FORBID_LOCKS = ("setpriv", "--bounding-set=-ipc_lock", "prlimit", "--memlock=65536")


def command(home, side, program, quick, flags, scratch, collector="g1", mutators=0):
    """Returns the command line. `mutators` is the number of threads of a program that synchronizes with the bench, or 0
    for the program's default."""
    one = PROGRAMS[program]
    size = one.size(quick)
    vm = [COLLECTORS[collector].flag, f"-Xms{size.heap}m", f"-Xmx{size.heap}m", *getattr(one, collector),
          *SIDES[side].flags, *flags]
    words = [*size.words.split(), *(["--threads", mutators] if mutators and one.meets else [])]
    if one.spark:
        return benchmarks.SPARK.command(home, vm, program, *words, "--local-dir", scratch)
    words = benchmarks.GC.command(home, vm, program, *words, *(["--meet", scratch] if one.meets else ["--dir", scratch]))
    return [*FORBID_LOCKS, *words] if one.locks else words
