"""The Java programs under java/bench, java/bench-gc and java/bench-persist: built when their sources changed, and how to start one."""
import hashlib
import json
import os
import shutil
import xml.etree.ElementTree as xml
from pathlib import Path

from terrace.common import maven, paths, prerequisites
from terrace.common.term import Failure, logged, step

JAVA = paths.ROOT / "java"
BENCH = JAVA / "bench"
CLASSES = BENCH / "target/classes"
DEPENDENCIES = BENCH / "target/dependency"
NEWEST_DEPENDENCIES = BENCH / "target/dependency-newest"
STAMP = paths.BUILD / "java-bench.stamp"
NEWEST_STAMP = paths.BUILD / "java-bench-newest.stamp"
MAIN = "org.terrace.bench.Main"
GC_BENCH = JAVA / "bench-gc"
GC_CLASSES = GC_BENCH / "target/classes"
GC_DEPENDENCIES = GC_BENCH / "target/dependency"
GC_SOURCES = GC_BENCH / "target/sources"
GC_STAMP = paths.BUILD / "java-bench-gc.stamp"
GC_MAIN = "org.terrace.bench.gc.GcPrograms"
PERSIST_BENCH = JAVA / "bench-persist"
PERSIST_CLASSES = PERSIST_BENCH / "target/classes"
PERSIST_DEPENDENCIES = PERSIST_BENCH / "target/dependency"
PERSIST_STAMP = paths.BUILD / "java-bench-persist.stamp"
PERSIST_MAIN = "org.terrace.bench.persist.PersistPrograms"
PERSIST_JARS_STAMP = paths.BUILD / "java-persist-jars.stamp"
# Modules for Maven to the folders of those that end up on the class path.
MODULES = {"bench": ("api", "spark", "harness", "bench"), "bench-gc": ("harness", "bench-gc"),
           "bench-persist": ("persist", "infinispan", "bench-persist"),
           "persist-transform,infinispan": ("persist", "persist-transform", "infinispan")}
PLUGIN = "org.terrace.spark.TerracePlugin"


def build(home):
    """Compiles them and what they need with the JDK in `home`. Does nothing if that is done already."""
    make(home, "benchmark programs", STAMP, [CLASSES, DEPENDENCIES], ["-DskipTests"])


def build_newest(home):
    """Fetches the newest Spark beside the oldest. The programs run on both as they were compiled for the oldest."""
    build(home)
    make(home, "the newest Spark", NEWEST_STAMP, [NEWEST_DEPENDENCIES],
         ["-Pspark-newest", "-Dmaven.main.skip", "-Dmaven.test.skip"])


def build_gc(home):
    """Those of `terrace bench gc` that are not Spark's."""
    make(home, "GC benchmark programs", GC_STAMP, [GC_CLASSES, GC_DEPENDENCIES, GC_SOURCES], ["-DskipTests"],
         module="bench-gc", size="libraries, 160 MB")


def build_persist(home):
    """Those of `terrace bench persist`."""
    make(home, "persistent heap benchmark programs", PERSIST_STAMP, [PERSIST_CLASSES, PERSIST_DEPENDENCIES], ["-DskipTests"],
         module="bench-persist", size="other stores, 130 MB")


def build_persist_jars(home):
    """The libraries of persistent objects: returns the jars, those that they need included."""
    target, version = JAVA / "persist/target", xml.parse(JAVA / "pom.xml").getroot().findtext("{*}version")
    jars = [target / f"terrace-persist-{version}.jar", JAVA / "persist-transform/target/terrace-persist-agent.jar",
            JAVA / f"infinispan/target/terrace-infinispan-{version}.jar"]
    make(home, "the libraries of persistent objects", PERSIST_JARS_STAMP, jars, ["-DskipTests"],
         module="persist-transform,infinispan", size="libraries, 60 MB")
    return [*jars, *sorted((target / "lib").glob("*.jar"))]


def make(home, name, stamp, results, options, module="bench", size="Spark, 260 MB"):
    wanted = digest(MODULES[module])
    before = stamp.read_text() if stamp.exists() else ""
    if before == wanted and all(map(Path.exists, results)):
        return
    with step(name) as current:
        if not shutil.which("mvn"):
            prerequisites.require(["maven"], "building the benchmark programs")
        command = ["mvn", "--batch-mode", "-f", JAVA / "pom.xml", "-pl", module, "-am", *options, "package"]
        environment = dict(os.environ, JAVA_HOME=str(home))
        current.update(f"Maven; the first time it downloads {size}")
        log = f"{stamp.stem}.log"
        done = False
        if before:  # all libraries have been downloaded once
            try:
                logged([*command, "--offline"], log, env=environment)
                done = True
            except Failure:
                pass
        if not done:
            maven.run(command, log, env=environment, what=f"building {name}")
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)
        current.done()


def digest(modules):
    """Of all sources that end up on the class path."""
    sources = [JAVA / "pom.xml"]
    for module in modules:
        sources.append(JAVA / module / "pom.xml")
        sources += sorted(path for path in (JAVA / module / "src/main").rglob("*") if path.is_file())
    hashed = hashlib.sha256()
    for path in sources:
        hashed.update(f"{path.relative_to(JAVA)}\n".encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()


def command(home, vm_options, program, *arguments, dependencies=DEPENDENCIES):
    """The command line of one program under the JDK in `home`."""
    return [home / "bin/java", f"@{BENCH / 'jvm.args'}", *vm_options,
            "-cp", f"{CLASSES}{os.pathsep}{dependencies}/*", MAIN, program, *arguments]


def gc_command(home, vm_options, program, *arguments):
    return [home / "bin/java", f"@{GC_BENCH / 'jvm.args'}", *vm_options,
            "-cp", f"{GC_CLASSES}{os.pathsep}{GC_DEPENDENCIES}/*", GC_MAIN, program, *arguments]


def persist_class_path():
    return f"{PERSIST_CLASSES}{os.pathsep}{PERSIST_DEPENDENCIES}/*"


def persist_command(home, vm_options, program, *arguments):
    return [home / "bin/java", f"@{PERSIST_BENCH / 'jvm.args'}", *vm_options, "-cp", persist_class_path(), PERSIST_MAIN, program,
            *arguments]


def result(text):
    """The last line of JSON in a program's output, or None."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return None
