# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Commands whose work a Java program does: it parses their arguments, and says how they are used.

What it says is in files beside its source, and tests of the program compare them. So help needs neither a build nor a JVM.
"""
import argparse
import os
import shutil
import subprocess

from . import paths, prerequisites
from .term import Failure

HELP = ("-h", "--help")


def register(add, description, run):
    # argparse refuses options before the first other word, unless no word can begin one.
    parser = add(add_help=False, prefix_chars="\0", description=description)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)
    return parser


def usage(folder, words):
    """The help that some arguments ask for, or None. `folder` has COMMAND.txt, and COMMAND-SUBCOMMAND.txt for each subcommand."""
    if not set(HELP) & set(words):
        return None
    texts = usages(folder)
    return texts.get(next((word for word in words if not word.startswith("-")), ""), texts[""])


def usages(folder):
    """{subcommand: its help}, '' for the command itself."""
    return {file.stem.partition("-")[2]: file.read_text() for file in sorted(folder.glob("*.txt"))}


def run(jar, libraries, main, arguments, options=()):
    """Its exit status. `libraries` is a folder of jars."""
    command = [java(os.environ), *options, "-cp", f"{jar}{os.pathsep}{libraries}/*", main, *arguments.arguments]
    return subprocess.run([str(part) for part in command]).returncode


def packed(artifact):
    """The jar of an artifact in a packed JDK, and the folder of what it needs."""
    found = sorted(paths.ROOT.glob(f"{artifact}-[0-9]*.jar"))
    if not found:
        raise Failure(f"{paths.ROOT} has no {artifact}-*.jar: unpack the archive of Terrace again")
    return found[0], paths.ROOT


def java(environment):
    """That of a packed JDK, of JAVA_HOME, or of the PATH."""
    if paths.PACKED:
        return paths.ROOT.parent / "bin/java"
    home = prerequisites.java_home(environment)
    found = home / "bin/java" if home else shutil.which("java")
    if not found:
        raise Failure("no java: set JAVA_HOME to a JDK from 17 on, or put its java in the PATH")
    return found
