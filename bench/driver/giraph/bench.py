# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench giraph`, which runs the paper's five Giraph programs on stock JVMs, in memory and out of
core, and on Terrace.

Every run is stored as soon as it has ended, so --resume continues an interrupted bench.
"""
import time
from pathlib import Path

from terrace.common import libraries, machine, memory_cap, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice
from ..measure import benchmarks
from ..measure.series import chosen, load, store, turn
from ..measure.setting import BESIDE_HEAP, add_homes, find_homes
from . import report
from .plan import FULL_REPEATS, FULL_TIMEOUT, QUICK_REPEATS, QUICK_TIMEOUT, SIDES, WORKLOADS
from .runs import GiraphRuns

MIB = 1 << 20
OUT = paths.BUILD / "bench/giraph"


def add(commands):
    text = f"""Runs five Giraph programs on generated graphs by turns: on the distribution's JVM with ParallelGC and with G1, in
        memory and with Giraph's own out-of-core graph, and on Terrace (ParallelGC, second heap). All have the same -Xmx and the
        same cap on memory with page cache, {BESIDE_HEAP // MIB} MB more. Out of core, a first pass runs each number of
        partitions in memory once, and after that only the fastest runs; --quick has 8 of 16 in memory. Prints tables, and
        writes them as Markdown. A stock run that fails, out of memory for instance, is a result; a failed run of Terrace, or a
        result that differs from stock's, makes the exit status 1 after all has run."""
    giraph = commands.add_parser("giraph", help="five Giraph programs on stock, in memory and out of core, and on Terrace",
                                 description=text)
    giraph.add_argument("--list", action="store_true", help="name the programs, with their sizes and heaps, and end")
    giraph.add_argument("--quick", action="store_true", help="small graphs: runs of some 20 s, half an hour in all")
    giraph.add_argument("--only", metavar="P[,P]", help=f"some of the programs: {', '.join(WORKLOADS)}")
    giraph.add_argument("--side", metavar="S[,S]", help=f"some of the sides: {', '.join(SIDES)}")
    giraph.add_argument("--heap", metavar="MB[,MB]", help="-Xmx, in MB, instead of those of --list")
    giraph.add_argument("--repeats", type=int, metavar="N",
                        help=f"rounds after the first pass (default {FULL_REPEATS}; quick {QUICK_REPEATS})")
    giraph.add_argument("--resume", action="store_true", help="keep the runs that --out has and do those that are missing")
    giraph.add_argument("--report", type=Path, metavar="DIR", help="only make tables again from DIR/results.json")
    giraph.add_argument("--h2", type=Path, metavar="DIR", help="folder for the second heap (default: in --out)")
    add_homes(giraph)
    giraph.add_argument("--out", type=Path, default=OUT, metavar="DIR",
                        help="where results, logs and tables go (default build/bench/giraph)")
    giraph.set_defaults(run=run)


def run(arguments):
    if arguments.list:
        for name, workload in WORKLOADS.items():
            size = workload.size(arguments.quick)
            print(f"{name:9} {workload.title}: {size.words}, -Xmx {', '.join(f'{heap}m' for heap in size.heaps)}")
        return
    if arguments.report:
        return show(load(arguments.report), arguments.report)
    started = time.monotonic()
    programs = chosen("--only", arguments.only, WORKLOADS)
    sides = chosen("--side", arguments.side, SIDES)
    heaps = parse_heaps(arguments.heap)
    repeats = (QUICK_REPEATS if arguments.quick else FULL_REPEATS) if arguments.repeats is None else arguments.repeats
    if repeats < 1:
        raise Failure("--repeats: at least 1")
    out = arguments.out.absolute()
    h2 = (arguments.h2 or out / "h2").absolute()
    writable("--out", out / "runs")
    writable("--h2" if arguments.h2 else "--out", h2)
    libraries.require("scipy")
    homes = find_homes(arguments)
    benchmarks.build_giraph(homes["stock"])
    reason = memory_cap.unavailable()
    notice(f"no memory cap: no control group can be made: {reason}" if reason else
           f"memory with page cache is capped at {BESIDE_HEAP // MIB} MB more than -Xmx")
    results = begin(arguments, out, {"quick": arguments.quick, "capped": not reason, "facts": machine.facts(h2)})
    runs = GiraphRuns(homes, h2, QUICK_TIMEOUT if arguments.quick else FULL_TIMEOUT, out / "runs", not reason)
    for program in programs:
        for heap in heaps or WORKLOADS[program].size(arguments.quick).heaps:
            Comparison(results, out, runs, sides, program, heap).run(repeats)
    show(results, out)
    notice(f"it took {clock(time.monotonic() - started)}; logs of all runs: {paths.relative(out / 'runs')}")
    troubles = judge(results)
    if troubles:
        raise Failure("not all is well:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def parse_heaps(text):
    try:
        return [int(part) for part in text.split(",")] if text else []
    except ValueError:
        raise Failure(f"--heap: '{text}' is not a number of MB, or some with commas between") from None


def begin(arguments, out, setting):
    """Returns the results so far, or empty results. Existing results must have the same sizes."""
    results = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), "runs": []}
    if arguments.resume and (out / "results.json").exists():
        results = load(out)
        for name in ("quick", "capped"):
            if results[name] != setting[name]:
                raise Failure(f"--resume: the runs in {paths.relative(out)} were made with another '{name}'. Name another "
                              "--out, or leave out --resume")
    return {**results, **setting}


def key(run):
    """Returns the identity of a run. `phase` is select or repeat."""
    return tuple(run[name] for name in ("program", "heap", "side", "setting", "phase", "repeat"))


class Comparison:
    """Runs a program with one heap size on all sides, and adds to the results."""

    def __init__(self, results, out, runs, sides, program, heap):
        self.results, self.out, self.runs, self.sides = results, out, runs, sides
        self.program, self.heap = program, heap

    def run(self, repeats):
        for side in self.sides:
            for setting in self.tried(side) if len(self.tried(side)) > 1 else ():
                self.once(side, setting, "select", 1)
        settings = {side: self.setting(side) for side in self.sides}
        contestants = [side for side in self.sides if settings[side] is not None]
        for number in range(repeats):
            for side in turn(contestants, number):
                self.once(side, settings[side], "repeat", number + 1)

    def tried(self, side):
        return SIDES[side].tried(self.results["quick"])

    def setting(self, side):
        """Returns the only setting, or the fastest one of the first pass. None if all failed."""
        if len(self.tried(side)) == 1:
            return self.tried(side)[0]
        best = report.fastest(report.select(self.results["runs"], program=self.program, heap=self.heap, side=side,
                                            phase="select"))
        return best["setting"] if best else None

    def once(self, side, setting, phase, repeat):
        mark = {"program": self.program, "heap": self.heap, "side": side, "setting": setting, "phase": phase, "repeat": repeat}
        if any(key(run) == key(mark) for run in self.results["runs"]):
            return
        name = "-".join(filter(None, [self.program, str(self.heap), side, setting, phase, str(repeat)]))
        title = f"{WORKLOADS[self.program].title}, -Xmx{self.heap}m, {SIDES[side].title()} {setting}".rstrip() + \
            f", {phase} {repeat}"
        words = WORKLOADS[self.program].size(self.results["quick"]).words.split()
        self.results["runs"].append({**mark, **self.runs.run(name, title, side, setting, self.heap, self.program, words)})
        store(self.results, self.out)


def judge(results):
    """Returns the problems of Terrace, one line each."""
    troubles = [f"{WORKLOADS[run['program']].title}, -Xmx{run['heap']}m: {run['failure']}; log: {paths.relative(run['log'])}"
                for run in report.select(results["runs"], side="terrace") if run["failure"]]
    for program in report.programs(results):
        troubles += [f"{WORKLOADS[program].title}: results differ: {line}"
                     for line in report.differences(results["runs"], program)[:5]]
    return troubles


def show(results, folder):
    print(f"\n{report.text(results)}\n")
    notice(f"wrote {paths.relative(report.write(results, folder).absolute())}")
