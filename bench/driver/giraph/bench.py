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
from ..measure.setting import BESIDE_HEAP, add_h2, add_homes, add_out, add_report, add_resume, add_selection, find_homes
from . import report
from .plan import FULL_REPEATS, FULL_TIMEOUT, QUICK_REPEATS, QUICK_TIMEOUT, SIDES, WORKLOADS
from .runs import GiraphRuns

MIB = 1 << 20
OUT = paths.BUILD / "bench/giraph"


def add(commands):
    text = f"""Runs five Giraph programs on generated graphs, alternately on the distribution's JVM with ParallelGC and with G1,
        in memory and with Giraph's own out-of-core graph, and on Terrace (ParallelGC, second heap). All have the same -Xmx and
        the same memory limit, which includes the page cache and is {BESIDE_HEAP // MIB} MB larger than -Xmx. Out of core, a
        first pass tries each number of partitions in memory once. After that, only the fastest number runs. With --quick, 8
        of 16 partitions are in memory. Prints tables, and writes them as Markdown. A failed run of stock, for instance out of
        memory, is recorded as a result. If a run of Terrace fails, or if its results differ from stock's, the remaining runs
        follow and the exit status is 1."""
    giraph = commands.add_parser("giraph", help="five Giraph programs on stock, in memory and out of core, and on Terrace",
                                 description=text)
    giraph.add_argument("--list", action="store_true", help="print the programs, their sizes and heaps, and run nothing")
    giraph.add_argument("--quick", action="store_true", help="use small graphs, with runs of about 20 s, half an hour in total")
    add_selection(giraph, "--only", "P[,P]", "programs", WORKLOADS)
    add_selection(giraph, "--side", "S[,S]", "sides", SIDES)
    giraph.add_argument("--heap", metavar="MB[,MB]", help="-Xmx in MB (default: the heaps that --list prints)")
    giraph.add_argument("--repeats", type=int, metavar="N",
                        help=f"rounds after the first pass (default {FULL_REPEATS}; quick {QUICK_REPEATS})")
    add_resume(giraph)
    add_report(giraph)
    add_h2(giraph)
    add_homes(giraph)
    add_out(giraph, OUT, "results, logs and tables")
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
    libraries.offer("scipy")
    homes = find_homes(arguments)
    benchmarks.GIRAPH.build(homes["stock"])
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
        raise Failure("problems:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


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
                              "--out, or omit --resume")
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
