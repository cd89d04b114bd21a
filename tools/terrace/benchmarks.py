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
STAMP = paths.BUILD / "java-bench.stamp"
MAIN = "org.terrace.bench.Main"
PLUGIN = "org.terrace.spark.TerracePlugin"


def build(home):
    """Compiles them and what they need with the JDK in `home`. Does nothing if that is done already."""
    wanted = digest()
    before = STAMP.read_text() if STAMP.exists() else ""
    if before == wanted and CLASSES.is_dir() and DEPENDENCIES.is_dir():
        return
    with step("benchmark programs") as current:
        if not shutil.which("mvn"):
            prerequisites.require(["maven"], "building the benchmark programs")
        command = ["mvn", "--batch-mode", "-f", JAVA / "pom.xml", "-pl", "bench", "-am", "-DskipTests", "package"]
        environment = dict(os.environ, JAVA_HOME=str(home))
        current.update("Maven; the first time it downloads Spark, 260 MB")
        done = False
        if before:  # all libraries have been downloaded once
            try:
                logged([*command, "--offline"], "java-bench.log", env=environment)
                done = True
            except Failure:
                pass
        if not done:
            logged(command, "java-bench.log", env=environment, what="building the benchmark programs")
        STAMP.parent.mkdir(parents=True, exist_ok=True)
        STAMP.write_text(wanted)
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


def command(home, vm_options, program, *arguments):
    """The command line of one program under the JDK in `home`."""
    return [home / "bin/java", f"@{BENCH / 'jvm.args'}", *vm_options,
            "-cp", f"{CLASSES}{os.pathsep}{DEPENDENCIES}/*", MAIN, program, *arguments]


def result(text):
    """The last line of JSON in a program's output, or None."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return None
