# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace heap`: looks at persistent heaps. The Java program org.terrace.persist.tools.HeapTool does the work."""
import argparse
import os
import shutil
import subprocess
from pathlib import Path

from ..common import maven, modules, paths
from ..common.term import Failure

MODULE = paths.PERSIST / "core"
MAIN = "org.terrace.persist.tools.HeapTool"
# From JDK 24 on, these keep the JDK from warning of what the library does.
QUIET = ("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")


def register(add):
    parser = add(add_help=False, description=__doc__)
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
    """The library's jar and the folder of what it needs; made anew when a source has changed."""
    jar, libraries = MODULE / f"target/terrace-persist-{maven.version()}.jar", MODULE / "target/lib"
    modules.make("heap tools", paths.BUILD / "heap-tools.stamp", [jar, libraries], ("persist/core",))
    return jar, libraries
