# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Commands implemented by a Java program, which parses their arguments and defines their help.

The help texts are files beside the program's source, and tests of the program compare them with its output. So help
needs neither a build nor a JVM.
"""
import argparse
import os
import shutil
import subprocess

from . import paths, prerequisites
from .term import Failure

HELP = ("-h", "--help")


def register(add, description, run):
    # argparse rejects options before the first positional argument, unless no character can begin an option.
    parser = add(add_help=False, prefix_chars="\0", description=description)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)
    return parser


def usage(folder, words):
    """Returns the help that the arguments request, or None. `folder` has COMMAND.txt, and COMMAND-SUBCOMMAND.txt for each subcommand."""
    if not set(HELP) & set(words):
        return None
    texts = usages(folder)
    return texts.get(next((word for word in words if not word.startswith("-")), ""), texts[""])


def usages(folder):
    """Returns {subcommand: its help}. The key '' is the command itself."""
    return {file.stem.partition("-")[2]: file.read_text() for file in sorted(folder.glob("*.txt"))}


def run(jar, libraries, main, arguments, options=()):
    """Runs the program and returns its exit status. `libraries` is a folder of jars."""
    command = [java(os.environ), *options, "-cp", f"{jar}{os.pathsep}{libraries}/*", main, *arguments.arguments]
    return subprocess.run([str(part) for part in command]).returncode


def packed(artifact):
    """Returns the jar of an artifact in a packed JDK, and the folder of its dependencies."""
    found = sorted(paths.ROOT.glob(f"{artifact}-[0-9]*.jar"))
    if not found:
        raise Failure(f"{paths.ROOT} has no {artifact}-*.jar: unpack the archive of Terrace again")
    return found[0], paths.ROOT


def java(environment):
    """Returns the java of a packed JDK, of JAVA_HOME, or of the PATH."""
    if paths.PACKED:
        return paths.ROOT.parent / "bin/java"
    home = prerequisites.java_home(environment)
    found = home / "bin/java" if home else shutil.which("java")
    if not found:
        raise Failure("no java was found: set JAVA_HOME to a JDK 17 or newer, or add its java to the PATH")
    return found
