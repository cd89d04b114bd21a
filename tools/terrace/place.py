# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace place`: plans where a Spark program's cached RDDs belong. The Java program org.terrace.place.Main does the work."""
import argparse
import os
import shutil
import subprocess

from . import heap, maven, prerequisites
from .bench import benchmarks
from .term import step

ORDER = 37
MODULE = benchmarks.JAVA / "place"
MAIN = "org.terrace.place.Main"


def register(subparsers):
    parser = subparsers.add_parser("place", add_help=False, help="plan which cached RDDs of a Spark program belong into fast memory",
                                   description=__doc__)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)


def run(arguments):
    jar, libraries = build()
    wanted = (["--help"] if arguments.help else []) + arguments.arguments
    command = [heap.java(os.environ), "-cp", f"{jar}{os.pathsep}{libraries}/*", MAIN, *wanted]
    return subprocess.run([str(part) for part in command]).returncode


def build():
    """The analysis' jar and the folder of what it needs; made anew when a source is newer."""
    libraries = MODULE / "target/lib"
    sources = [MODULE / "pom.xml", *(path for path in (MODULE / "src/main").rglob("*") if path.is_file())]
    newest = max(path.stat().st_mtime for path in sources)
    found = jars()
    if found and list(libraries.glob("asm-*.jar")) and found[-1].stat().st_mtime >= newest:
        return found[-1], libraries
    if not shutil.which("mvn"):
        prerequisites.require(["maven"], "building the placement analysis")
    with step("placement analysis") as current:
        maven.run(["mvn", "-B", "-ntp", "-f", benchmarks.JAVA / "pom.xml", "-pl", "place", "package", "-DskipTests"],
                  "place.log", what="building the placement analysis")
        current.done()
    return jars()[-1], libraries


def jars():
    return sorted((MODULE / "target").glob("terrace-place-*[0-9].jar"))
