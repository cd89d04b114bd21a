"""`terrace heap`: looks at persistent heaps. The Java program org.terrace.persist.tools.HeapTool does the work."""
import argparse
import os
import shutil
import subprocess
from pathlib import Path

from bench.driver import benchmarks
from ..common import prerequisites
from ..common.term import Failure, logged, step

ORDER = 38
MODULE = benchmarks.JAVA / "persist"
MAIN = "org.terrace.persist.tools.HeapTool"
# From JDK 24 on, these keep the JDK from warning of what the library does.
QUIET = ("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")


def register(subparsers):
    parser = subparsers.add_parser("heap", add_help=False, help="check, show, back up and restore persistent heaps",
                                   description=__doc__)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)


def run(arguments):
    jar, libraries = build()
    wanted = (["--help"] if arguments.help else []) + arguments.arguments
    command = [java(os.environ), *QUIET, "-cp", f"{jar}{os.pathsep}{libraries}/*", MAIN, *wanted]
    return subprocess.run([str(part) for part in command]).returncode


def java(environment):
    """That of JAVA_HOME, or of the PATH."""
    home = environment.get("JAVA_HOME")
    found = Path(home) / "bin/java" if home else shutil.which("java")
    if not found or not Path(found).exists():
        raise Failure("no java: set JAVA_HOME to a JDK from 17 on, or put its java in the PATH")
    return found


def build():
    """The library's jar and the folder of what it needs; made anew when a source is newer."""
    jars = sorted((MODULE / "target").glob("terrace-persist-*[0-9].jar"))
    libraries = MODULE / "target/lib"
    sources = [MODULE / "pom.xml", *(path for path in (MODULE / "src/main").rglob("*") if path.is_file())]
    newest = max(path.stat().st_mtime for path in sources)
    if jars and list(libraries.glob("picocli-*.jar")) and jars[-1].stat().st_mtime >= newest:
        return jars[-1], libraries
    if not shutil.which("mvn"):
        prerequisites.require(["maven"], "building the heap tools")
    with step("heap tools") as current:
        logged(["mvn", "-B", "-ntp", "-f", benchmarks.JAVA / "pom.xml", "-pl", "persist", "package", "-DskipTests"],
               "heap-tools.log", what="building the heap tools")
        current.done()
    return sorted((MODULE / "target").glob("terrace-persist-*[0-9].jar"))[-1], libraries
