# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Builds the Java programs in bench/programs if their sources have changed, and starts them."""
import json
import os
from dataclasses import dataclass

from terrace.common import modules, paths

PLUGIN = "org.terrace.spark.TerracePlugin"


@dataclass(frozen=True)
class Programs:
    """The programs of one module of bench/programs, with the class path that Maven collects for them."""
    title: str
    name: str
    main: str
    size: str                # of the downloads
    inputs: tuple = ()       # folders in target/ that the build creates besides the class path

    @property
    def folder(self):
        return paths.BENCH / "programs" / self.name

    @property
    def target(self):
        return self.folder / "target"

    @property
    def classes(self):
        return self.target / "classes"

    @property
    def dependencies(self):
        return self.target / "dependency"

    def build(self, home):
        """Compiles the programs and collects their dependencies with the JDK in `home`, if they are not up to date."""
        results = [self.classes, self.dependencies, *(self.target / name for name in self.inputs)]
        modules.make(self.title, paths.BUILD / f"java-bench-{self.name}.stamp", results, [self.module], home, size=self.size)

    @property
    def module(self):
        return f"bench/programs/{self.name}"

    def class_path(self, dependencies=None):
        return f"{self.classes}{os.pathsep}{dependencies or self.dependencies}/*"

    def java(self, home):
        """Returns the beginning of a command line: the JVM in `home`, with the options that the libraries need."""
        options = self.folder / "jvm.args"
        return [home / "bin/java", *([f"@{options}"] if options.exists() else [])]

    def command(self, home, vm_options, program, *arguments, dependencies=None):
        """Returns the command line of one program with the JDK in `home`."""
        return [*self.java(home), *vm_options, "-cp", self.class_path(dependencies), self.main, program, *arguments]


SPARK = Programs("benchmark programs", "spark", "org.terrace.bench.Main", "Spark, 260 MB")
H2 = Programs("second heap benchmark programs", "h2", "org.terrace.bench.h2.H2Programs", "libraries, 4 MB")
GIRAPH = Programs("Giraph benchmark programs", "giraph", "org.terrace.bench.giraph.GiraphPrograms", "Giraph and Hadoop, 80 MB")
GC = Programs("GC benchmark programs", "gc", "org.terrace.bench.gc.GcPrograms", "libraries, 160 MB", ("sources",))
PERSIST = Programs("persistent heap benchmark programs", "persist", "org.terrace.bench.persist.PersistPrograms",
                   "other stores, 130 MB")

NEWEST_DEPENDENCIES = SPARK.target / "dependency-newest"
GC_SOURCES = GC.target / "sources"


def build_newest(home):
    """Fetches the newest Spark in addition to the oldest. The programs are compiled for the oldest and run on both."""
    SPARK.build(home)
    modules.make("the newest Spark", paths.BUILD / "java-bench-newest.stamp", [NEWEST_DEPENDENCIES], [SPARK.module], home,
                 ("-Pspark-newest", "-Dmaven.main.skip", "-Dmaven.test.skip"), size=SPARK.size)


def result(text):
    """Returns the last line of JSON in a program's output, or None."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return None
