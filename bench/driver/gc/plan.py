# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The plan of `terrace bench gc`: programs with their sizes and heaps, JVMs, and circumstances."""
import os
import re
from dataclasses import dataclass
from pathlib import Path

from terrace.building import build
from terrace.common.term import Failure
from ..measure import benchmarks, processor_cap

HEAP_FACTOR = 2.0
COLLECTORS = {"parallel": "ParallelGC", "g1": "G1GC", "shenandoah": "ShenandoahGC"}

# Spark reserves 300 MB of the heap for itself by default.
ANY_HEAP = "--conf spark.testing.reservedMemory=33554432"


@dataclass(frozen=True)
class Size:
    """Parameters of a program. `least_heap` is the smallest heap in MB, to some 15 %, in which the program ends with
    ParallelGC and Spark keeps its cached data."""
    words: str
    least_heap: int
    warmup: int
    iterations: int


@dataclass(frozen=True)
class Program:
    text: str
    quick: Size
    full: Size
    spark: bool = False

    def size(self, quick):
        return self.quick if quick else self.full


PROGRAMS = {
    "lucene-index": Program(
        "Lucene indexes generated documents into memory, with all processors",
        Size("--size 5000", 36, 1, 3), Size("--size 30000", 60, 3, 6)),
    "lucene-search": Program(
        "Lucene answers queries of five kinds from an index in memory, with all processors",
        Size("--size 300 --documents 5000", 28, 1, 3), Size("--size 1500 --documents 20000", 56, 2, 5)),
    "h2-database": Program(
        "the H2 database, in memory: accounts are loaded, and clerks book, sum up and list",
        Size("--size 15000", 32, 1, 3), Size("--size 80000", 80, 2, 5)),
    "ecj": Program(
        "Eclipse's compiler compiles Commons Collections; the full size Commons Math",
        Size("--size 1 --sources {sources}/commons-collections4-sources.jar", 84, 1, 2),
        Size("--size 1 --sources {sources}/commons-math3-sources.jar", 84, 2, 3)),
    "scala": Program(
        "the compiler of Scala 3 compiles Scala's parser combinators",
        Size("--size 1 --sources {sources}/scala-parser-combinators_3-sources.jar", 72, 1, 2),
        Size("--size 1 --sources {sources}/scala-parser-combinators_3-sources.jar", 72, 2, 4)),
    "jython": Program(
        "Jython runs Python: trees of objects, dictionaries, JSON and regular expressions, with all processors",
        Size("--size 8", 64, 1, 2), Size("--size 40", 80, 2, 5)),
    "xalan": Program(
        "Xalan transforms generated documents by a stylesheet, with all processors",
        Size("--size 4", 32, 1, 3), Size("--size 24", 32, 3, 6)),
    "graph-science": Program(
        "Neo4j's Graph Data Science library: PageRank and components of a generated graph, with all processors",
        Size("--size 100", 88, 1, 2), Size("--size 400", 264, 1, 4)),
    "pagerank": Program(
        "Spark PageRank on the call graph of the JDK; the quick size on a part of it",
        Size("--iterations 2 --partitions 8 {any_heap} {graph}", 72, 1, 2),
        Size("--iterations 4 --partitions 8 {any_heap} {graph}", 128, 1, 2), spark=True),
    "kmeans": Program(
        "MLlib k-means on generated points",
        Size("--rows 100000 --iterations 4 --partitions 8 {any_heap}", 72, 1, 2),
        Size("--rows 600000 --iterations 4 --partitions 8 {any_heap}", 128, 1, 3), spark=True),
    "cassandra": Program(
        "Cassandra in the JVM: clients write rows, then read and write them, by latency",
        Size("--size 2000", 84, 1, 2), Size("--size 8000", 100, 2, 5)),
}


def command(name, quick, home, vm, scratch, graph, mutators=0):
    """Returns the command line of one run. `scratch` is an empty folder of its own."""
    program = PROGRAMS[name]
    size = program.size(quick)
    threads = ["--cores" if program.spark else "--threads", mutators] if mutators else []
    words = [word.format(sources=benchmarks.GC_SOURCES, graph=graph)
             for word in size.words.replace("{any_heap}", ANY_HEAP).split()]
    times = ["--warmup", str(size.warmup), "--iterations", str(size.iterations)]
    if program.spark:
        return benchmarks.SPARK.command(home, vm, "repeat", *times, "--", name, *words, *threads, "--local-dir", scratch)
    return benchmarks.GC.command(home, vm, name, *times, *words, *threads, "--dir", scratch)


@dataclass(frozen=True)
class Side:
    """A JVM with additional flags, and with its own factor of the heap if it differs from the common one."""
    name: str
    home: Path
    flags: tuple = ()
    heap_factor: float = None


def side(text):
    """Parses NAME[@FACTOR]=HOME[,FLAG...]. A comma separates flags only if a dash follows. The factor is a part of the name."""
    match = re.fullmatch(r"([\w.+-]+(?:@(\d*\.?\d+))?)=([^,]+)((?:,-.*)?)", text)
    if not match or float(match[2] or 1) == 0:
        raise Failure(f"--side: '{text}' is not NAME=HOME or NAME@FACTOR=HOME,-FLAG,-FLAG; "
                      "for instance on=terrace,-XX:+UseNUMA or half@0.5=terrace")
    name, factor, home, flags = match.groups()
    return Side(name, jdk_home(home), tuple(re.split(r",(?=-)", flags)[1:]), float(factor) if factor else None)


def jdk_home(text):
    """Returns the JDK home for a name. `stock` and `terrace` are the homes of this checkout, which are built if necessary."""
    if text in ("stock", "terrace"):
        return build.home("stock") if text == "stock" else build.build()
    home = Path(text).absolute()
    if not os.access(home / "bin/java", os.X_OK):
        raise Failure(f"--side: {text} is no JDK home: it has no bin/java. Name a JDK's folder, or 'stock' or 'terrace'")
    return home


@dataclass(frozen=True)
class Setting:
    """The circumstances of a comparison."""
    collector: str
    threads: int          # 0 is the VM's default
    heap_factor: float
    mutators: int         # 0 is the program's default
    loops: int
    two: bool
    container: str = ""   # one of processor_cap.KINDS, or none
    beside: int = 0       # MB of the memory limit in addition to the heap; 0 is no limit

    def heap(self, name, quick, side=None):
        """Returns -Xmx in MB."""
        factor = self.heap_factor if side is None or side.heap_factor is None else side.heap_factor
        return round(PROGRAMS[name].size(quick).least_heap * factor)

    def cap(self, name, quick):
        """Returns the memory limit in bytes for a VM and its page cache, which is the same for all sides. None without a limit."""
        return (self.heap(name, quick) + self.beside) << 20 if self.beside else None

    def vm(self, name, quick, side=None):
        heap = self.heap(name, quick, side)
        threads = [f"-XX:ParallelGCThreads={self.threads}"] if self.threads else []
        return [f"-XX:+Use{COLLECTORS[self.collector]}", f"-Xms{heap}m", f"-Xmx{heap}m", *threads]

    def title(self):
        return ", ".join([COLLECTORS[self.collector], f"{self.heap_factor:g} × the least heap",
                          *([f"{self.threads} GC threads"] if self.threads else []),
                          *([f"{self.mutators} mutators"] if self.mutators else []),
                          *([f"beside {self.loops} busy loops"] if self.loops else []),
                          *(["two VMs at once"] if self.two else []),
                          *([f"a container of {processor_cap.KINDS[self.container].words}"] if self.container else []),
                          *([f"memory of that heap and {self.beside} MB"] if self.beside else [])])

    def short(self):
        """Returns an abbreviation for file names."""
        return "-".join([self.collector, f"h{self.heap_factor:g}", *([f"t{self.threads}"] if self.threads else []),
                         *([f"m{self.mutators}"] if self.mutators else []),
                         *([f"loops{self.loops}"] if self.loops else []), *(["two"] if self.two else []),
                         *([self.container] if self.container else []), *([f"memory{self.beside}"] if self.beside else [])])
