"""The Java programs under java/bench: built when their sources changed, and how to start one."""
import hashlib
import json
import os
import shutil

from . import paths, prerequisites
from .term import Failure, logged, step

JAVA = paths.ROOT / "java"
BENCH = JAVA / "bench"
CLASSES = BENCH / "target/classes"
DEPENDENCIES = BENCH / "target/dependency"
NEWEST_DEPENDENCIES = BENCH / "target/dependency-newest"
STAMP = paths.BUILD / "java-bench.stamp"
NEWEST_STAMP = paths.BUILD / "java-bench-newest.stamp"
MAIN = "org.terrace.bench.Main"
PLUGIN = "org.terrace.spark.TerracePlugin"


def build(home):
    """Compiles them and what they need with the JDK in `home`. Does nothing if that is done already."""
    make(home, "benchmark programs", STAMP, [CLASSES, DEPENDENCIES], ["-DskipTests"])


def build_newest(home):
    """Fetches the newest Spark beside the oldest. The programs run on both as they were compiled for the oldest."""
    build(home)
    make(home, "the newest Spark", NEWEST_STAMP, [NEWEST_DEPENDENCIES],
         ["-Pspark-newest", "-Dmaven.main.skip", "-Dmaven.test.skip"])


def make(home, name, stamp, results, options):
    wanted = digest()
    before = stamp.read_text() if stamp.exists() else ""
    if before == wanted and all(folder.is_dir() for folder in results):
        return
    with step(name) as current:
        if not shutil.which("mvn"):
            prerequisites.require(["maven"], "building the benchmark programs")
        command = ["mvn", "--batch-mode", "-f", JAVA / "pom.xml", "-pl", "bench", "-am", *options, "package"]
        environment = dict(os.environ, JAVA_HOME=str(home))
        current.update("Maven; the first time it downloads Spark, 260 MB")
        log = f"{stamp.stem}.log"
        done = False
        if before:  # all libraries have been downloaded once
            try:
                logged([*command, "--offline"], log, env=environment)
                done = True
            except Failure:
                pass
        if not done:
            logged(command, log, env=environment, what=f"building {name}")
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)
        current.done()


def digest():
    """Of all sources that end up on the class path."""
    sources = [JAVA / "pom.xml"]
    for module in ("api", "spark", "bench"):
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


def result(text):
    """The last line of JSON in a program's output, or None."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return None
