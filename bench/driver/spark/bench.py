# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench spark`, which runs Spark programs on stock JVMs, each at its best setting, and on Terrace.

Every run is stored as soon as it has ended, so --resume continues an interrupted bench, or one that runs its programs
one by one. The function `key` identifies a run.
"""
import time
from pathlib import Path

from terrace.common import libraries, machine, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice
from ..measure import agreement, benchmarks, graphs, measure
from ..measure.series import chosen, load, store, turn
from ..measure.setting import (BESIDE_HEAP, LEAST_HEAP, add_h2, add_homes, add_out, add_report, add_resume, add_selection,
                               choose_cap, find_homes, parse_size)
from . import profile as profiles, report
from .plan import FULL, LEVELS, QUICK, SIDES, STOCK, TERRACE_LEVEL, WORKLOADS, machines, newest_home
from .runs import SparkRuns

MIB = 1 << 20
OUT = paths.BUILD / "bench/spark"
INPUT = paths.BUILD / "demo/input"


def add(commands):
    text = f"""Runs the paper's ten Spark programs, and one program with nested records, alternately on several JVMs: the
        distribution's JVM with ParallelGC and with G1, a newer JDK if one is installed (with Spark 4.1), and Terrace
        (ParallelGC, second heap, {TERRACE_LEVEL}). All have the same heap and the same memory limit. For each program, a
        first pass runs both stock collectors once at each storage level ({', '.join(LEVELS)}). After that, each stock
        collector and the newer JDK run only at the fastest level. Prints tables, and writes them as Markdown with plots. A
        failed run of stock, for instance out of memory, is recorded as a result. If a run of Terrace fails, or if its
        results differ from stock's, the remaining runs follow and the exit status is 1."""
    spark = commands.add_parser("spark", help="Spark programs on stock at the best storage level, and on Terrace",
                                description=text)
    spark.add_argument("--quick", action="store_true", help="use small inputs, with runs of about 20 s")
    add_selection(spark, "--only", "W[,W]", "programs", WORKLOADS)
    add_selection(spark, "--side", "S[,S]", "JVMs (ratios need terrace and a stock JVM)", SIDES)
    spark.add_argument("--level", metavar="L[,L]", help="storage levels of the first pass (default: all four)")
    spark.add_argument("--heap", metavar="SIZE", help=f"-Xmx of all JVMs (default {FULL.heap}; quick {QUICK.heap})")
    spark.add_argument("--memory", metavar="SIZE[,SIZE]",
                       help=f"memory limits including page cache, measured one after the other; 0 is no limit (default: the heap "
                            f"plus {BESIDE_HEAP // MIB}m)")
    spark.add_argument("--repeats", type=int, metavar="N",
                       help=f"runs of each program on each JVM after the first pass (default {FULL.repeats})")
    spark.add_argument("--pairs", type=int, metavar="N",
                       help="instead of repeats, run N pairs of the fastest stock JVM and Terrace, and compute confidence bounds")
    spark.add_argument("--profile", action="store_true",
                       help="run each program once more with the flight recorder, which shows the work of tasks: "
                            "serialization, files, or the program")
    add_resume(spark, "; --only, --side, --memory, --repeats and --pairs may differ from earlier calls")
    add_report(spark, "tables and plots")
    spark.add_argument("--newest", metavar="HOME",
                       help="home of a newer JDK, or 'none' (default: the newest installed JDK, if it is 21 or later)")
    add_h2(spark)
    add_homes(spark)
    add_out(spark, OUT, "results, logs, tables and plots")
    spark.set_defaults(run=run)


def run(arguments):
    if arguments.report:
        return show(load(arguments.report), arguments.report)
    started = time.monotonic()
    size = QUICK if arguments.quick else FULL
    programs = chosen("--only", arguments.only, WORKLOADS)
    sides = chosen("--side", arguments.side, SIDES)
    levels = chosen("--level", arguments.level, LEVELS)
    for option in ("repeats", "pairs"):
        if getattr(arguments, option) is not None and getattr(arguments, option) < 1:
            raise Failure(f"--{option}: at least 1")
    heap = parse_size("--heap", arguments.heap or size.heap)
    if heap < LEAST_HEAP:
        raise Failure(f"--heap: {heap // MIB}m; Spark needs {LEAST_HEAP // MIB}m at least")
    caps = [choose_cap(text, heap) for text in (arguments.memory.split(",") if arguments.memory else [None])]
    out = arguments.out.absolute()
    h2 = (arguments.h2 or out / "h2").absolute()
    writable("--out", out / "runs")
    writable("--h2" if arguments.h2 else "--out", h2)
    libraries.offer("matplotlib")
    libraries.offer("scipy")

    homes, versions = homes_and_versions(arguments)
    graph = graphs.graph(size.graph, INPUT, homes["stock"])
    results = begin(arguments, out, {
        "quick": arguments.quick, "heap_bytes": heap, "graph": graph,
        "words": {program: workload.words(arguments.quick) for program, workload in WORKLOADS.items()},
        "versions": versions, "facts": machine.facts(h2)})
    for cap, why in caps:
        notice(f"-Xmx{heap // MIB}m, " + (f"memory capped at {cap // MIB} MB with page cache" if cap else
                                          f"no memory cap ({why})"))
        measure.touch_memory(cap or heap + BESIDE_HEAP)
        runs = SparkRuns(heap, cap, size.timeout, out / "runs")
        comparison = Comparison(results, out, runs, machines(homes, h2), sides, levels)
        for program in programs:
            comparison.run(program, arguments.repeats or size.repeats, arguments.pairs)
            if arguments.profile:
                comparison.rounds(program, comparison.sides, "profile", 1)
    troubles = judge(results)
    show(results, out)
    notice(f"it took {clock(time.monotonic() - started)}; logs of all runs: {paths.relative(out / 'runs')}")
    if troubles:
        raise Failure("problems:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def homes_and_versions(arguments):
    homes = find_homes(arguments)
    benchmarks.SPARK.build(homes["stock"])
    versions = {}
    newest = newest_home(arguments.newest)
    if newest:
        benchmarks.build_newest(homes["stock"])
        homes["newest"], versions["newest"] = newest
    else:
        notice("no newer JDK is installed, so its sides are skipped; name a JDK with --newest")
    return homes, versions


def begin(arguments, out, setting):
    """Returns the results so far, or empty results, with their settings."""
    results = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), "runs": []}
    if arguments.resume and (out / "results.json").exists():
        results = load(out)
    for name in ("quick", "heap_bytes", "words", "graph"):
        if results["runs"] and what_counts(results[name]) != what_counts(setting[name]):
            raise Failure(f"--resume: the runs in {paths.relative(out)} were made with another {name}: "
                          f"{results[name]}, not {setting[name]}. Name another --out, or omit --resume")
    return {**results, **setting}


def what_counts(setting):
    """Returns the relevant part of a setting, which excludes the path of a graph."""
    return {name: value for name, value in setting.items() if name != "path"} if isinstance(setting, dict) else setting


def key(run):
    """Returns the identity of a run. `phase` is select, repeat, pair or profile."""
    return tuple(run[name] for name in ("program", "side", "level", "cap", "phase", "repeat"))


class Comparison:
    """Runs programs under one memory limit and adds to the results."""

    def __init__(self, results, out, runs, machines, sides, levels):
        self.results, self.out, self.runs, self.cap = results, out, runs, runs.cap
        self.machines, self.levels = machines, levels
        self.sides = [side for side in sides if side in machines]

    def run(self, program, repeats, pairs):
        stock = [side for side in self.sides if side in STOCK]
        possible = WORKLOADS[program].levels
        for index, level in enumerate([level for level in possible if level in self.levels] or possible):
            for side in turn(stock, index):
                self.once(program, side, level, "select", 1)
        if pairs:
            self.rounds(program, self.fastest_and_terrace(program), "pair", pairs)
        else:
            self.rounds(program, self.sides, "repeat", repeats)

    def rounds(self, program, sides, phase, count):
        """Runs each side once in every round. Each round starts with another side."""
        levels = {side: self.level(program, side) for side in sides}
        contestants = [side for side in sides if levels[side]]
        for number in range(count):
            for side in turn(contestants, number):
                self.once(program, side, levels[side], phase, number + 1)

    def level(self, program, side):
        """Returns Terrace's only level, or the fastest one of the first pass for other sides. None if no run succeeded."""
        if side == "terrace":
            return TERRACE_LEVEL
        best = report.fastest(self.of(program, SIDES[side].level_of or side, "select"))
        return best["level"] if best else None

    def fastest_and_terrace(self, program):
        best = report.best_stock(self.results["runs"], program, self.cap) \
            or report.fastest([run for side in STOCK for run in self.of(program, side, "select")])
        if not best or "terrace" not in self.sides:
            raise Failure(f"--pairs: {program} has no stock run that succeeded, or --side leaves out terrace")
        return [best if isinstance(best, str) else best["side"], "terrace"]

    def of(self, program, side, phase):
        return report.select(self.results["runs"], program=program, side=side, cap=self.cap, phase=phase)

    def once(self, program, side, level, phase, repeat):
        mark = {"program": program, "side": side, "level": level, "cap": self.cap, "phase": phase, "repeat": repeat}
        if any(key(run) == key(mark) for run in self.results["runs"]):
            return
        workload = WORKLOADS[program]
        graph = [self.results["graph"]["path"]] if workload.on_graph else []
        name = f"{program}-{side}-{level}-{self.cap // MIB}-{phase}-{repeat}"
        title = f"{workload.title}, {SIDES[side].title(self.results['versions'])}, {level}, {phase} {repeat}"
        words = [*self.results["words"][program], "--storage-level", level, *graph]
        run = self.profile if phase == "profile" else self.runs.run
        self.results["runs"].append({**mark, **run(name, title, self.machines[side], program, words, inputs=graph)})
        store(self.results, self.out)

    def profile(self, name, title, machine, program, words, inputs):
        recording = self.out / "runs" / f"{name}.jfr"
        result = self.runs.run(name, title, profiles.recorded(machine, recording), program, words, inputs)
        return {**result, "samples": profiles.samples(machine.home, recording)}


def judge(results):
    """Returns the problems of Terrace, one line each."""
    troubles = []
    for cap in report.caps(results):
        for program in report.programs(results, cap):
            where = f"{WORKLOADS[program].title} at {report.name_of(cap)}"
            of_terrace = report.select(results["runs"], program=program, cap=cap, side="terrace")
            troubles += [f"{where}: {run['failure']}; log: {paths.relative(run['log'])}"
                         for run in of_terrace if run["failure"]]
            troubles += [f"{where}: results differ: {line}" for line in differences(results["runs"], program, cap)[:5]]
    return troubles


def differences(runs, program, cap):
    found = {side: [run["report"]["result"] for run in report.select(runs, program=program, cap=cap, side=side)
                    if not run["failure"]] for side in SIDES}
    stock = [result for side in STOCK for result in found[side]]
    return agreement.compare(stock, found["terrace"])[1] if stock and found["terrace"] else []


def show(results, folder):
    print(f"\n{report.text(results)}\n")
    for path in report.write(results, folder):
        notice(f"wrote {paths.relative(path.absolute())}")
