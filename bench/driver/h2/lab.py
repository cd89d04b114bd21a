# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Common parts of the experiments of `terrace bench h2`: options, a run of a Java program, tables and results."""
import json
import os
import re
import statistics
from dataclasses import dataclass
from pathlib import Path

from terrace.common import gclog, libraries, machine, memory_cap, paths
from terrace.common.options import writable
from terrace.common.term import Failure, notice, output, read, tail
from ..measure import benchmarks, measure, swapping
from ..measure.setting import add_h2, add_homes, add_out, find_homes

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
# Keeps the log in one file. By default the JVM starts another one after 20 MB.
GC_LOG = "-Xlog:gc*,gc+phases=debug{}:file={}:uptime,level,tags:filecount=0"
PHASE = re.compile(r"^\[[\d.,]+s\]\[\w+ *\]\[gc,phases *\] GC\((\d+)\) ([A-Z][\w ]*\w) ([\d.,]+)ms$")
WORKERS = re.compile(r"\] (?:GC\(\d+\) )?(\w+): (\d+) workers, \w+ least (\d+), mean (\d+), most (\d+)")
TIMEOUT = 600


def add_options(parser, run):
    add_h2(parser)
    add_out(parser, paths.BUILD / "bench/h2", "logs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results as JSON")
    add_homes(parser)
    parser.set_defaults(run=run)


def add_repeats(parser, default):
    parser.add_argument("--repeats", type=count, default=default, metavar="N",
                        help=f"number of rounds; each round runs every measurement once (default {default})")


def count(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def size(text):
    """Parses a size in bytes, for argparse."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmgt]?)b?", text.lower())
    if not match:
        raise ValueError
    return int(float(match[1]) * {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": TIB}[match[2]])


def sizes(text):
    return [size(part) for part in text.split(",")]


def words(value):
    """Formats a number of bytes as the JVM reads it."""
    for unit, letter in ((GIB, "g"), (MIB, "m"), (KIB, "k")):
        if value % unit == 0:
            return f"{value // unit}{letter}"
    return str(value)


@dataclass
class Run:
    """One run of a Java program."""
    report: dict
    log: gclog.GcLog
    phases: dict                 # {collection: {phase: milliseconds}}
    workers: dict                # {collection: {phase: (workers, least, mean, most)}}
    measurement: measure.Measurement
    failure: str = None          # reason, with the end of the log


class Lab:
    """The folders and JDK homes of one experiment, and its output."""

    def __init__(self, arguments):
        self.arguments = arguments
        if getattr(arguments, "svg", None):
            libraries.require("matplotlib")
        self.out = arguments.out.absolute()
        self.h2 = (arguments.h2 or self.out / "h2").absolute()
        writable("--out", self.out)
        writable("--h2" if arguments.h2 else "--out", self.h2)
        self.homes = find_homes(arguments)
        benchmarks.H2.build(self.homes["stock"])
        self._flags = None

    def need_space(self, needed):
        found = os.statvfs(self.h2)
        if found.f_bavail * found.f_frsize < needed:
            raise Failure(f"{self.h2} needs {needed / GIB:.0f} GB of free space: name another folder with --h2, or choose smaller sizes")

    def has_flag(self, option):
        """Returns whether the JVM knows the flag of the option."""
        if self._flags is None:
            self._flags = build_flags(self.homes["terrace"])
        return re.sub(r"^-XX:[+-]?([A-Za-z0-9]+).*", r"\1", option) in self._flags

    def command(self, name, options, program, *arguments, side="terrace"):
        terrace = side == "terrace"
        log = GC_LOG.format(",gc+h2=debug" if terrace else "", self.out / f"{name}.gc.log")
        vm = ["-XX:+UseParallelGC", log, *options]
        if terrace:
            vm.append(f"-XX:AllocateH2At={self.h2}")
        return [str(part) for part in benchmarks.H2.command(self.homes[side], vm, program, *arguments)]

    def run(self, *words, **how):
        """Runs a program that must not fail, like `attempt`."""
        found = self.attempt(*words, **how)
        if found.failure:
            raise Failure(found.failure)
        return found

    def attempt(self, name, options, program, *arguments, side="terrace", cap=None, swaps=False, settled=True, timeout=TIMEOUT,
                environment=None):
        """Runs a program of the package `h2` to its end.

        `cap` limits the memory of the process. With `swaps`, it may swap beyond the limit. With `settled`, earlier writes are flushed
        to the device first. `environment` has additional variables for the process.
        """
        command = self.command(name, options, program, *arguments, side=side)
        out, log = self.out / f"{name}.out", self.out / f"{name}.log"
        environment = {**os.environ, **environment} if environment else None
        if settled:
            os.sync()
        if cap:
            with (swapping.swapping_cap if swaps else memory_cap.memory_cap)(cap) as group:
                measured = measure.run(command, out, log, group, environment, timeout=timeout)
        else:
            measured = measure.run(command, out, log, env=environment, timeout=timeout)
        report, failure = benchmarks.result(read(out)), None
        if measured.status != 0 or not report:
            with open(log, "a") as file:
                file.write(read(out))
            end = f"ended after {timeout} s" if measured.timed_out else f"exit status {measured.status}"
            failure = f"{program} failed ({end}). The end of {paths.relative(log)}:\n\n{tail(log)}"
        lines = read(self.out / f"{name}.gc.log").splitlines()
        return Run(report, gclog.parse(lines), *phases(lines), measured, failure)

    def finish(self, results, *tables):
        """Prints the results and the path of the logs."""
        print("\n" + "\n\n".join(tables) + "\n")
        for name, value in machine.facts(self.h2).items():
            notice(f"{name}: {value}")
        notice(f"logs: {paths.relative(self.out)}")
        if self.arguments.json:
            results = {"machine": machine.facts(self.h2), "results": results}
            self.arguments.json.write_text(json.dumps(results, indent=1, default=vars) + "\n")


def build_flags(home):
    text = output([home / "bin/java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", "-version"])
    return set(re.findall(r"^ *\w+ (\w+) +=", text, re.M))


def phases(lines):
    """Returns the milliseconds of the phases of each collection, and the work of each worker in them."""
    times, workers = {}, {}
    for line in lines:
        if match := PHASE.match(line):
            times.setdefault(int(match[1]), {})[match[2]] = gclog.number(match[3])
            if workers.get(None):  # the line of workers has no collection number, and precedes the line of the phase's end
                workers.setdefault(int(match[1]), {}).update(workers.pop(None))
        elif match := WORKERS.search(line):
            workers.setdefault(None, {})[match[1]] = tuple(map(int, match.groups()[1:]))
    return times, workers


def table(header, rows):
    """Returns a Markdown table. All columns except the first are right-aligned."""
    texts = [header, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in texts) for column in range(len(header))]

    def line(cells):
        aligned = [cell.ljust(width) if column == 0 else cell.rjust(width)
                   for column, (cell, width) in enumerate(zip(cells, widths))]
        return f"| {' | '.join(aligned)} |"
    rule = [("-" if column == 0 else "-:") for column in range(len(header))]
    rule = [mark.rjust(width, "-") for mark, width in zip(rule, widths)]
    return "\n".join([line(texts[0]), f"| {' | '.join(rule)} |", *map(line, texts[1:])])


def median(values):
    values = list(values)
    return statistics.median(values) if values else 0.0


def spread(values, digits=0):
    """Returns the median, with the range if there are different values."""
    values = list(values)
    if not values:
        return "–"
    middle = f"{statistics.median(values):.{digits}f}"
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return middle if low == high else f"{middle} ({low}–{high})"
