# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Commands whose work a Java program does: it parses their arguments, and says how they are used."""
import argparse
import os
import shutil
import subprocess
from pathlib import Path

from .term import Failure


def register(add, description, run):
    # argparse refuses options before the first other word, unless no word can begin one.
    parser = add(add_help=False, prefix_chars="\0", description=description)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)


def run(jar, libraries, main, arguments, options=()):
    """Its exit status. `libraries` is a folder of jars."""
    command = [java(os.environ), *options, "-cp", f"{jar}{os.pathsep}{libraries}/*", main, *arguments.arguments]
    return subprocess.run([str(part) for part in command]).returncode


def java(environment):
    """That of JAVA_HOME, or of the PATH."""
    home = environment.get("JAVA_HOME")
    found = Path(home) / "bin/java" if home else shutil.which("java")
    if not found or not Path(found).exists():
        raise Failure("no java: set JAVA_HOME to a JDK from 17 on, or put its java in the PATH")
    return found
