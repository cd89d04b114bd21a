# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Builds the Java programs in bench/programs if their sources have changed, and starts them."""
import json
import os

from terrace.common import modules, paths

PROGRAMS = paths.BENCH / "programs"
BENCH = PROGRAMS / "spark"
CLASSES = BENCH / "target/classes"
DEPENDENCIES = BENCH / "target/dependency"
NEWEST_DEPENDENCIES = BENCH / "target/dependency-newest"
STAMP = paths.BUILD / "java-bench.stamp"
NEWEST_STAMP = paths.BUILD / "java-bench-newest.stamp"
MAIN = "org.terrace.bench.Main"
GC_BENCH = PROGRAMS / "gc"
GC_CLASSES = GC_BENCH / "target/classes"
GC_DEPENDENCIES = GC_BENCH / "target/dependency"
GC_SOURCES = GC_BENCH / "target/sources"
GC_STAMP = paths.BUILD / "java-bench-gc.stamp"
GC_MAIN = "org.terrace.bench.gc.GcPrograms"
PERSIST_BENCH = PROGRAMS / "persist"
PERSIST_CLASSES = PERSIST_BENCH / "target/classes"
PERSIST_DEPENDENCIES = PERSIST_BENCH / "target/dependency"
PERSIST_STAMP = paths.BUILD / "java-bench-persist.stamp"
PERSIST_MAIN = "org.terrace.bench.persist.PersistPrograms"
GIRAPH_BENCH = PROGRAMS / "giraph"
GIRAPH_CLASSES = GIRAPH_BENCH / "target/classes"
GIRAPH_DEPENDENCIES = GIRAPH_BENCH / "target/dependency"
GIRAPH_STAMP = paths.BUILD / "java-bench-giraph.stamp"
GIRAPH_MAIN = "org.terrace.bench.giraph.GiraphPrograms"
MODULES, GC_MODULES, PERSIST_MODULES = ["bench/programs/spark"], ["bench/programs/gc"], ["bench/programs/persist"]
GIRAPH_MODULES = ["bench/programs/giraph"]
PLUGIN = "org.terrace.spark.TerracePlugin"


def build(home):
    """Compiles the Spark programs and their dependencies with the JDK in `home`, if they are not up to date."""
    modules.make("benchmark programs", STAMP, [CLASSES, DEPENDENCIES], MODULES, home, size="Spark, 260 MB")


def build_newest(home):
    """Fetches the newest Spark in addition to the oldest. The programs are compiled for the oldest and run on both."""
    build(home)
    modules.make("the newest Spark", NEWEST_STAMP, [NEWEST_DEPENDENCIES], MODULES, home,
                 ("-Pspark-newest", "-Dmaven.main.skip", "-Dmaven.test.skip"), size="Spark, 260 MB")


def build_gc(home):
    """Compiles the programs of `terrace bench gc` that do not use Spark."""
    modules.make("GC benchmark programs", GC_STAMP, [GC_CLASSES, GC_DEPENDENCIES, GC_SOURCES], GC_MODULES, home,
                 size="libraries, 160 MB")


def build_persist(home):
    """Compiles the programs of `terrace bench persist`."""
    modules.make("persistent heap benchmark programs", PERSIST_STAMP, [PERSIST_CLASSES, PERSIST_DEPENDENCIES], PERSIST_MODULES,
                 home, size="other stores, 130 MB")


def build_giraph(home):
    """Compiles the programs of `terrace bench giraph`."""
    modules.make("Giraph benchmark programs", GIRAPH_STAMP, [GIRAPH_CLASSES, GIRAPH_DEPENDENCIES], GIRAPH_MODULES, home,
                 size="Giraph and Hadoop, 80 MB")


def command(home, vm_options, program, *arguments, dependencies=DEPENDENCIES):
    """Returns the command line of one program with the JDK in `home`."""
    return [home / "bin/java", f"@{BENCH / 'jvm.args'}", *vm_options,
            "-cp", f"{CLASSES}{os.pathsep}{dependencies}/*", MAIN, program, *arguments]


def gc_command(home, vm_options, program, *arguments):
    return [home / "bin/java", f"@{GC_BENCH / 'jvm.args'}", *vm_options,
            "-cp", f"{GC_CLASSES}{os.pathsep}{GC_DEPENDENCIES}/*", GC_MAIN, program, *arguments]


def giraph_command(home, vm_options, program, *arguments):
    return [home / "bin/java", f"@{GIRAPH_BENCH / 'jvm.args'}", *vm_options,
            "-cp", f"{GIRAPH_CLASSES}{os.pathsep}{GIRAPH_DEPENDENCIES}/*", GIRAPH_MAIN, program, *arguments]


def persist_class_path():
    return f"{PERSIST_CLASSES}{os.pathsep}{PERSIST_DEPENDENCIES}/*"


def persist_command(home, vm_options, program, *arguments):
    return [home / "bin/java", f"@{PERSIST_BENCH / 'jvm.args'}", *vm_options, "-cp", persist_class_path(), PERSIST_MAIN, program,
            *arguments]


def result(text):
    """Returns the last line of JSON in a program's output, or None."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return None
