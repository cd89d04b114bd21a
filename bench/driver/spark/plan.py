# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The plan of `terrace bench spark`: the paper's ten Spark programs and one more, their amount of work, and the JVMs."""
import re
from dataclasses import dataclass
from pathlib import Path

from terrace.common.term import Failure
from ..measure import benchmarks
from .runs import Machine, terrace

LEVELS = ("MEMORY_ONLY", "MEMORY_AND_DISK", "MEMORY_ONLY_SER", "MEMORY_AND_DISK_SER")

# The level of Dataset.cache. It stores objects, which the plugin needs.
TERRACE_LEVEL = "MEMORY_AND_DISK"

JDKS = Path("/usr/lib/jvm")
OLDEST_NEWEST = 21


@dataclass(frozen=True)
class Workload:
    title: str
    quick: str
    full: str
    on_graph: bool = False
    levels: tuple = LEVELS

    def words(self, quick):
        return (self.quick if quick else self.full).split()


# The quick graph and other small data would fit into Spark's memory, so the memory is reduced.
LITTLE, LESS = "--conf spark.memory.fraction=0.1", "--conf spark.memory.fraction=0.3"

WORKLOADS = {
    "pagerank": Workload("PageRank", on_graph=True,
                         quick=f"--iterations 10 --partitions 8 {LITTLE}", full="--iterations 10 --partitions 64"),
    "components": Workload("connected components", on_graph=True,
                           quick=f"--partitions 8 {LITTLE}", full="--partitions 64"),
    "sssp": Workload("shortest paths", on_graph=True,
                     quick=f"--landmarks 0,100,1000,10000 --partitions 8 {LESS}",
                     full="--landmarks 0,100,1000,10000 --partitions 64"),
    # GraphX's SVD++ has no parameter for the storage level.
    "svdplusplus": Workload("SVD++", levels=("MEMORY_ONLY",),
                            quick=f"--users 20000 --items 2000 {LITTLE}",
                            full="--users 100000 --items 10000 --partitions 64"),
    "triangles": Workload("triangle count", on_graph=True,
                          quick=f"--partitions 8 {LESS}", full="--partitions 64"),
    "linreg": Workload("linear regression",
                       quick="--rows 350000 --iterations 25 --partitions 32",
                       full="--rows 2000000 --iterations 25 --partitions 160"),
    "logreg": Workload("logistic regression",
                       quick="--rows 350000 --iterations 25 --partitions 32",
                       full="--rows 2000000 --iterations 25 --partitions 160"),
    "svm": Workload("support vector machine",
                    quick="--rows 350000 --iterations 25 --partitions 32",
                    full="--rows 2000000 --iterations 25 --partitions 160"),
    "bayes": Workload("naive Bayes",
                      quick=f"--documents 300000 --partitions 32 {LESS}",
                      full="--documents 1500000 --partitions 160"),
    "relation": Workload("SQL on records",
                         quick=f"--records 3000000 --rounds 2 --partitions 32 {LESS}",
                         full="--records 12000000 --partitions 160"),
    # This program is not from the paper. Each record has many small objects of several classes.
    "nested": Workload("nested records",
                       quick="--records 400000 --rounds 3 --partitions 32",
                       full="--records 2000000 --partitions 160"),
}


@dataclass(frozen=True)
class Size:
    graph: str
    heap: str
    repeats: int
    timeout: int


QUICK = Size("jdkgraph", "512m", 3, 90)
FULL = Size("callgraph", "512m", 3, 1200)


@dataclass(frozen=True)
class Side:
    jdk: str             # stock, newest or terrace
    collector: str
    level_of: str = ""   # the side whose best storage level it uses

    def title(self, versions):
        if self.jdk == "terrace":
            return "Terrace"
        return f"{'stock' if self.jdk == 'stock' else versions.get('newest', 'newest')} {self.collector}"


SIDES = {
    "parallel": Side("stock", "ParallelGC"),
    "g1": Side("stock", "G1"),
    "newest-parallel": Side("newest", "ParallelGC", level_of="parallel"),
    "newest-g1": Side("newest", "G1", level_of="g1"),
    "newest-zgc": Side("newest", "ZGC", level_of="g1"),
    "terrace": Side("terrace", "ParallelGC"),
}
STOCK = [name for name, side in SIDES.items() if side.jdk == "stock"]
FLAGS = {"ParallelGC": "-XX:+UseParallelGC", "G1": "-XX:+UseG1GC", "ZGC": "-XX:+UseZGC"}


def machines(homes, h2):
    """Returns the JVM of each side whose home exists."""
    found = {}
    for name, side in SIDES.items():
        if side.jdk == "terrace":
            found[name] = terrace(homes["terrace"], h2)
        elif side.jdk in homes:
            dependencies = benchmarks.NEWEST_DEPENDENCIES if side.jdk == "newest" else benchmarks.SPARK.dependencies
            found[name] = Machine(homes[side.jdk], (FLAGS[side.collector],), dependencies=dependencies)
    return found


def newest_home(wanted):
    """Returns the home of a new JDK and its name, or None. The home is `wanted` or the newest installed one, and 'none' disables it."""
    if wanted == "none":
        return None
    if wanted:
        version = feature_version(Path(wanted))
        if not version:
            raise Failure(f"--newest: {wanted} is no JDK home: it has no file 'release' with a version")
        return Path(wanted).absolute(), f"JDK {version}"
    installed = [(feature_version(release.parent), release.parent) for release in sorted(JDKS.glob("*/release"))]
    version, home = max(installed, default=(0, None))
    return (home, f"JDK {version}") if version >= OLDEST_NEWEST else None


def feature_version(home):
    """Returns 25 for a JDK 25, and 0 for a folder that is not a JDK."""
    try:
        match = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.M)
    except OSError:
        return 0
    return int(match[1]) if match else 0
