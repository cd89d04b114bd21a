# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The list of commands, and the function that runs one of them.

A command's module is loaded only when the command is needed. It has a function that calls `add(...)`, which is
argparse's add_parser for this command. The function sets `run` of the parser to a function that takes the parsed
arguments and returns an exit status (None is 0). A `Failure` reports a mistake of the user or a failed step, and its
message gives the remedy. The other parts of each command's help are in guide.py.
"""
import argparse
import functools
import importlib
import subprocess
import sys
from dataclasses import dataclass

from ..common import paths
from ..common.term import Failure, clock, remedy
from . import guide, version


@dataclass(frozen=True)
class Command:
    name: str
    module: str
    help: str
    register: str = "register"
    own: tuple = None       # options of the command itself; all arguments from the first other word on belong to another program
    packed: bool = False    # whether the folder `terrace` of a packed JDK has the command


COMMANDS = (
    Command("build", "terrace.building.build", "build the Terrace JDK in build/jdk"),
    Command("run", "terrace.building.build", "run the java program of the built JDK", "register_run",
            own=("--debug", "--stock", "-h", "--help")),
    Command("dist", "terrace.dist.dist", "pack the JDK as a relocatable tar.gz archive and as a .deb package"),
    Command("test", "terrace.testing.runner", "run the tests that the current changes require"),
    Command("nightly", "terrace.testing.nightly", "run all tests at full effort, for hours; an interrupted run can be continued"),
    Command("stress", "terrace.testing.stress", "run random programs on the second heap and compare them with a shadow model"),
    Command("flags", "terrace.building.flags", "explain the flags of the virtual machine", packed=True),
    Command("demo", "bench.driver.demo.demo", "compare Spark on the stock JVM and on Terrace, with a table and a page of plots"),
    Command("report", "bench.driver.demo.report", "regenerate the page of the last demo from its stored results"),
    Command("bench", "bench.driver.bench", "run benchmarks of Terrace and of the stock JVM"),
    Command("doctor", "terrace.doctor.doctor", "find problems of a program that uses the second heap, and suggest remedies", packed=True),
    Command("heap", "terrace.cli.heap", "check, inspect, back up and restore persistent heaps", packed=True),
    Command("place", "terrace.cli.place", "plan which cached RDDs of a Spark program belong in fast memory", packed=True),
    Command("completion", "terrace.cli.completion", "print a completion script for bash or zsh", packed=True),
    Command("dev", "terrace.cli.dev", "commands for developers: fetch, apply, build, commit, refresh, check, test"),
)


def available():
    return [command for command in COMMANDS if command.packed or not paths.PACKED]


def parser(arguments):
    """Returns the parser for these arguments, which is complete for the command that they name."""
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    return parser_of([wanted])


def parser_of(wanted):
    """Returns the parser, which is complete for the named commands."""
    top = argparse.ArgumentParser(
        prog="terrace" if paths.PACKED else "./terrace", description="Terrace: an OpenJDK 17 HotSpot for data larger than DRAM.",
        epilog="`./terrace COMMAND --help` describes a command, its output and its duration, and gives an example.")
    top.add_argument("--version", action=version.Print, nargs=0, help="print the versions of Terrace and of its JDK, and exit")
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in available():
        add = functools.partial(subparsers.add_parser, command.name, help=command.help)
        if command.name in wanted:
            getattr(importlib.import_module(command.module), command.register)(add)
        else:
            add()
    guide.attach(top)
    return top


def separated(arguments):
    """Inserts `--` before the arguments for another program, so that argparse does not interpret them."""
    command = next((command for command in COMMANDS if command.name == next(iter(arguments), None)), None)
    if not command or command.own is None:
        return arguments
    first = next((index for index, word in enumerate(arguments[1:], 1) if word not in command.own), len(arguments))
    return [*arguments[:first], *([] if arguments[first:first + 1] == ["--"] else ["--"]), *arguments[first:]]


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    argv = separated(argv)
    arguments = parser(argv).parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except Failure as failure:
        print(f"\nterrace: {failure}", file=sys.stderr)
        return 1
    except subprocess.TimeoutExpired as problem:
        print(f"\nterrace: '{' '.join(map(str, problem.cmd))}' did not end within {clock(problem.timeout)} and was killed", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nterrace: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 141
    except OSError as problem:
        message = remedy(problem)
        if not message:
            raise
        print(f"\nterrace: {message}", file=sys.stderr)
        return 1
