# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What `terrace bench far` runs: the programs with their sizes, on which JVMs, and how much of the heap is in memory."""
from dataclasses import dataclass

from ..measure import benchmarks

MIB = 1 << 20
ALL = 100
LOCALS = (100, 50, 25, 13)
QUICK_LOCALS = (25,)
# With all of the heap in memory, what is not the heap has room enough.
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
    beside: int          # MB that the VM takes beside the heap, which stay in memory
    spark: bool = False
    meets: bool = False  # loads its data while memory is wide, and works when it is short
    locks: bool = False  # would lock its memory (mlockall), so that none of it can be swapped
    vm: tuple = ()

    def size(self, quick):
        return self.quick if quick else self.full


PROGRAMS = {
    "keyvalue": Program(
        "a hash map whose keys are requested by Zipf's law, 2 % of operations are updates",
        Size("--megabytes 640 --seconds 45 --before 8", 1024, 240),
        Size("--megabytes 2600 --seconds 150 --before 15", 4096, 900), beside=64, meets=True,
        # The program asks for cycles, so that each side has one at the same time.
        vm=("-XX:+ExplicitGCInvokesConcurrent", "-XX:-G1UseAdaptiveIHOP", "-XX:InitiatingHeapOccupancyPercent=85")),
    "kmeans": Program(
        "Spark k-means over cached points",
        Size(f"--rows 700000 --iterations 4 --partitions 8 --storage-level MEMORY_ONLY {ANY_HEAP}", 384, 240),
        Size(f"--rows 4000000 --iterations 8 --partitions 16 --storage-level MEMORY_ONLY {ANY_HEAP}", 1536, 1800),
        beside=192, spark=True),
    "cassandra": Program(
        "Cassandra in the JVM: clients write rows, then read and write them",
        Size("--size 40000 --warmup 0 --iterations 1", 384, 240),
        Size("--size 250000 --warmup 0 --iterations 2", 1024, 1800), beside=224, locks=True),
}


@dataclass(frozen=True)
class Side:
    title: str
    jdk: str
    flags: tuple = ()


SIDES = {
    "stock": Side("stock G1", "stock"),
    "far": Side("far memory", "terrace", ("-XX:+UseFarMemory",)),
    "deferred": Side("without summaries", "terrace",
                     ("-XX:+UseFarMemory", "-XX:+UnlockDiagnosticVMOptions", "-XX:-FarMemorySummaries")),
}


def cap(program, quick, local):
    """The limit on memory, in bytes, where so many percent of the heap are to be in it."""
    one = PROGRAMS[program]
    heap = one.size(quick).heap
    return (heap + ROOMY if local == ALL else heap * local // ALL + one.beside) * MIB


def wide(program, quick):
    """The limit while a program that meets the bench loads its data."""
    return cap(program, quick, ALL)


def swap_size(programs, quick):
    """Room for the largest heap twice: a page keeps its place while it is in memory, too."""
    return max(2 * PROGRAMS[program].size(quick).heap for program in programs) * MIB


# Root may lock what it likes, whatever the limit says.
FORBID_LOCKS = ("setpriv", "--bounding-set=-ipc_lock", "prlimit", "--memlock=65536")


def command(home, side, program, quick, flags, scratch, mutators=0):
    """`mutators` is the number of threads of a program that meets the bench; 0 leaves it to the program."""
    one = PROGRAMS[program]
    size = one.size(quick)
    vm = ["-XX:+UseG1GC", f"-Xms{size.heap}m", f"-Xmx{size.heap}m", *one.vm, *SIDES[side].flags, *flags]
    words = [*size.words.split(), *(["--threads", mutators] if mutators and one.meets else [])]
    if one.spark:
        return benchmarks.command(home, vm, program, *words, "--local-dir", scratch)
    words = benchmarks.gc_command(home, vm, program, *words, *(["--meet", scratch] if one.meets else ["--dir", scratch]))
    return [*FORBID_LOCKS, *words] if one.locks else words
