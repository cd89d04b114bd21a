# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The plan of `terrace bench giraph`: programs with their sizes and heaps, and sides."""
from dataclasses import dataclass

PARTITIONS, THREADS = 16, 2
PLUGIN = "org.terrace.giraph.TerracePlugin"
FLAGS = {"ParallelGC": "-XX:+UseParallelGC", "G1": "-XX:+UseG1GC"}
# Giraph's own out-of-core mode. Without the second option it fails when it throttles requests. Its default oracle
# learns only from major collections of ParallelGC.
OUT_OF_CORE = ("-D", "giraph.useOutOfCoreGraph=true", "-D", "giraph.waitForPerWorkerRequests=true")
FIXED = ("-D", "giraph.outOfCoreOracle=org.apache.giraph.ooc.policy.FixedPartitionsOracle")


@dataclass(frozen=True)
class Size:
    words: str
    heaps: tuple         # -Xmx in MB: ample, about the least in which stock ends, and half of that


@dataclass(frozen=True)
class Workload:
    title: str
    quick: Size
    full: Size

    def size(self, quick):
        return self.quick if quick else self.full


WORKLOADS = {
    "pagerank": Workload("PageRank", Size("--scale 16", (80, 48, 24)), Size("--scale 19", (576, 288, 144))),
    "wcc": Workload("connected components", Size("--scale 16", (80, 56, 28)), Size("--scale 19", (576, 288, 144))),
    "bfs": Workload("breadth-first search", Size("--scale 16", (80, 40, 20)), Size("--scale 19", (576, 288, 144))),
    "sssp": Workload("shortest paths", Size("--scale 16", (80, 48, 24)), Size("--scale 19", (576, 288, 144))),
    "cdlp": Workload("label propagation", Size("--scale 16", (192, 80, 40)), Size("--scale 19", (1024, 640, 320))),
}
QUICK_TIMEOUT, FULL_TIMEOUT = 90, 1200
QUICK_REPEATS, FULL_REPEATS = 1, 3


@dataclass(frozen=True)
class Side:
    jdk: str
    collector: str
    settings: tuple = ("",)   # the fastest one counts: numbers of partitions in memory, or Giraph's choice; --quick takes the first

    def tried(self, quick):
        return self.settings[:1] if quick else self.settings

    def title(self):
        if self.jdk == "terrace":
            return "Terrace"
        return f"stock {self.collector}" + ("" if self.settings == ("",) else ", out of core")


SIDES = {
    "parallel": Side("stock", "ParallelGC"),
    "g1": Side("stock", "G1"),
    "parallel-ooc": Side("stock", "ParallelGC", ("8", "12", "4", "auto")),
    "g1-ooc": Side("stock", "G1", ("8", "12", "4")),
    "terrace": Side("terrace", "ParallelGC"),
}
STOCK = [name for name, side in SIDES.items() if side.jdk == "stock"]


def vm(side, h2):
    return [FLAGS[SIDES[side].collector], *([f"-XX:AllocateH2At={h2}"] if side == "terrace" else [])]


def options(side, setting):
    """Returns Giraph's options in addition to the common ones."""
    if side == "terrace":
        return ["-D", f"giraph.mapper.observers={PLUGIN}"]
    if not setting:
        return []
    return [*OUT_OF_CORE, *([] if setting == "auto" else [*FIXED, "-D", f"giraph.maxPartitionsInMemory={setting}"])]
