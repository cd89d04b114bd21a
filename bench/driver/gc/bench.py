# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench gc`, which runs real libraries under a collector, alternating between several JVMs.

Every run is stored as soon as it has ended, so --resume continues an interrupted bench. The function `key` identifies a run.
"""
import time
from pathlib import Path

from terrace.building import build
from terrace.common import libraries, machine, memory_cap, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice
from ..measure import benchmarks, graphs, processor_cap
from ..measure.series import chosen, load, store, turn
from ..spark.bench import INPUT
from . import report
from .plan import COLLECTORS, HEAP_FACTOR, PROGRAMS, Setting, side
from .runs import GcRuns

OUT = paths.BUILD / "bench/gc"
SIDES = ("stock=stock", "terrace=terrace")
QUICK_PAIRS, FULL_PAIRS = 3, 5
QUICK_EDGES = 100_000


def add(commands):
    text = """Runs programs of real libraries by turns on several JVMs, by default the distribution's and Terrace's, in heaps
        in which the collector has to work. Prints medians and ranges of time, CPU time, GC time, pauses and latencies,
        and the ratios to the first side with bounds, which say 'within noise' when they contain 1; writes the tables as
        Markdown, with plots. A result that differs between JVMs, or a run that fails, makes the exit status 1."""
    gc = commands.add_parser("gc", help="real libraries under a collector, by turns on several JVMs", description=text)
    gc.add_argument("--list", action="store_true", help="name the programs, with a line each, and end")
    gc.add_argument("--only", metavar="P[,P]", help="some of the programs: see --list")
    gc.add_argument("--side", "--jdk", action="append", metavar="NAME[@X]=HOME[,FLAG...]",
                    help="a JVM, and its own flags; may be repeated; the others are compared with the first. HOME is "
                         "a JDK's folder, or 'stock' or 'terrace'. X is a --heap-factor of this side, which may be less than 1 "
                         "where a second heap helps (default: --side stock=stock --side terrace=terrace)")
    gc.add_argument("--quick", action="store_true", help="small inputs: runs of some seconds")
    gc.add_argument("--pairs", type=int, metavar="N",
                    help=f"rounds, in each of which every side runs once (default {FULL_PAIRS}; quick {QUICK_PAIRS})")
    add_circumstances(gc)
    gc.add_argument("--task-stats", action="store_true",
                    help="also count steals, where the VM logs them: Terrace with a flag of GC threads, or a debug build")
    gc.add_argument("--resume", action="store_true",
                    help="keep the runs that --out has and do those that are missing or failed; other --only, --pairs, "
                         "--gc and circumstances add to them")
    gc.add_argument("--report", type=Path, metavar="DIR", help="only make tables and plots again from DIR/results.json")
    gc.add_argument("--out", type=Path, default=OUT, metavar="DIR",
                    help="where results, logs, tables and plots go (default build/bench/gc)")
    gc.set_defaults(run=run)


def add_circumstances(gc):
    gc.add_argument("--gc", metavar="G[,G]", default="parallel", help=f"collectors: {', '.join(COLLECTORS)} "
                                                                      "(default parallel)")
    gc.add_argument("--gc-threads", metavar="N[,N]", help="ParallelGCThreads (default: the choice of the VM)")
    gc.add_argument("--heap-factor", type=float, default=HEAP_FACTOR, metavar="X",
                    help=f"-Xms and -Xmx, as a multiple of the least heap in which the program ends "
                         f"(default {HEAP_FACTOR:g})")
    gc.add_argument("--mutators", metavar="N[,N]",
                    help="threads, connections or Spark cores of the programs (default: one per processor, or four); the "
                         "compilers have their own")
    gc.add_argument("--beside-loops", type=int, default=0, metavar="N", help="run together with N busy loops")
    gc.add_argument("--two-at-once", action="store_true", help="two VMs of a side at once; the mean of both counts")
    gc.add_argument("--container", choices=list(processor_cap.KINDS), default="", metavar="KIND",
                    help="run each VM in a control group of its own: one-cpu (a cpuset of one processor), half-cpu (a quota of "
                         "half a processor's time), or changing-cpuset (all processors and one of them by turns, "
                         f"{processor_cap.CHANGE_SECONDS} s each)")
    gc.add_argument("--memory-beside", type=int, default=0, metavar="MB",
                    help="cap the memory of each VM, page cache included, at the heap of --heap-factor and so many MB (default: no "
                         "cap)")


def run(arguments):
    if arguments.list:
        for name, program in PROGRAMS.items():
            print(f"{name:13}  {program.text}")
        return
    if arguments.report:
        return show(load(arguments.report), arguments.report)
    started = time.monotonic()
    programs = chosen("--only", arguments.only, PROGRAMS)
    circumstances = settings(arguments)
    pairs = at_least("--pairs", 1, (QUICK_PAIRS if arguments.quick else FULL_PAIRS) if arguments.pairs is None
                     else arguments.pairs)
    out = arguments.out.absolute()
    writable("--out", out / "runs")
    libraries.require("matplotlib", "scipy")
    processor_cap.require(arguments.container)
    require_cap(arguments)
    sides = find_sides(arguments.side or SIDES)
    results = begin(arguments, out, sides)
    graph = prepare(programs, sides.values(), arguments.quick)
    runs = GcRuns(arguments.quick, out / "runs", graph, arguments.task_stats)
    for setting in circumstances:
        notice(f"{setting.title()}: {', '.join(programs)}")
        for program in programs:
            rounds(results, out, runs, setting, program, list(sides.values()), pairs)
    show(results, out)
    notice(f"it took {clock(time.monotonic() - started)}; logs of all runs: {paths.relative(out / 'runs')}")
    if arguments.task_stats and not any(run["tasks"] for run in results["runs"]):
        notice("--task-stats: none of these VMs logs steals; Terrace does, with a flag of GC threads")
    troubles = judge(results)
    if troubles:
        raise Failure("not all is well:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def require_cap(arguments):
    """Fails if a memory limit is requested but not possible."""
    at_least("--memory-beside", 0, arguments.memory_beside)
    if arguments.memory_beside and arguments.container:
        raise Failure("--memory-beside: a VM has one control group. Leave out --container, or this")
    if arguments.memory_beside:
        memory_cap.require("leave --memory-beside out")


def settings(arguments):
    """Returns a setting for each combination of collector and numbers of threads."""
    if not arguments.heap_factor >= 1:
        raise Failure(f"--heap-factor: {arguments.heap_factor:g}; no program ends in less than 1 × its least heap")
    at_least("--beside-loops", 0, arguments.beside_loops)
    return [Setting(gc, threads, arguments.heap_factor, mutators, arguments.beside_loops, arguments.two_at_once,
                    arguments.container, arguments.memory_beside)
            for gc in chosen("--gc", arguments.gc, COLLECTORS)
            for threads in numbers("--gc-threads", arguments.gc_threads)
            for mutators in numbers("--mutators", arguments.mutators)]


def numbers(option, text):
    """Parses an option with one or more numbers. Returns [0] without the option."""
    try:
        return [at_least(option, 1, int(part)) for part in text.split(",")] if text else [0]
    except ValueError:
        raise Failure(f"{option}: '{text}' is not a number, or some with commas between") from None


def at_least(option, least, value):
    if value < least:
        raise Failure(f"{option}: at least {least}")
    return value


def find_sides(texts):
    sides = {}
    for one in map(side, texts):
        if one.name in sides:
            raise Failure(f"--side: there are two of the name {one.name}")
        sides[one.name] = one
    return sides


def begin(arguments, out, sides):
    """Returns the results so far, or empty results. Existing results must have the same sizes and JVMs."""
    described = {name: described_side(one) for name, one in sides.items()}
    results = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), "quick": arguments.quick, "sides": {}, "runs": []}
    if arguments.resume and (out / "results.json").exists():
        results = load(out)
        if results["quick"] != arguments.quick:
            raise Failure(f"--resume: the runs in {paths.relative(out)} were made with{'out' * arguments.quick} --quick. "
                          "Name another --out, or leave out --resume")
    # Failed runs are repeated.
    failed = {key(run) for run in results["runs"] if run["failure"]}
    results["runs"] = [run for run in results["runs"] if key(run) not in failed]
    for name, of in described.items():
        before = results["sides"].setdefault(name, of)
        other = [what for what in of if of[what] != before.get(what)]
        if other:
            raise Failure(f"--resume: the side {name} in {paths.relative(out)} has another {', '.join(other)}. Give this one "
                          "another name, or name another --out")
    return {**results, "facts": machine.facts(out)}


def described_side(one):
    """Returns the identity of a side, in which a VM that was built again differs. The factor of its heap is in its name."""
    status = (one.home / "lib/server/libjvm.so").stat()
    return {"home": str(one.home), "flags": list(one.flags), "version": machine.java_version(one.home)[1],
            "libjvm": [status.st_size, status.st_mtime_ns]}


def prepare(programs, sides, quick):
    """Builds the programs with the JDK of a side that has a compiler. Returns the graph's file if a program reads it."""
    home = next((one.home for one in sides if (one.home / "bin/javac").exists()), None) or build.home("stock")
    spark = [program for program in programs if PROGRAMS[program].spark]
    if len(spark) < len(programs):
        benchmarks.build_gc(home)
    if spark:
        benchmarks.build(home)
    if "pagerank" not in programs:
        return None
    graph = graphs.graph("jdkgraph", INPUT, home)
    return Path((graphs.part(graph, QUICK_EDGES) if quick else graph)["path"])


def key(run):
    return report.setting_of(run), run["program"], run["side"], run["round"]


def rounds(results, out, runs, setting, program, sides, count):
    """Runs each side once in every round. Each round starts with another side."""
    for number in range(count):
        for one in turn(sides, number):
            mark = {**vars(setting), "program": program, "side": one.name, "round": number + 1}
            if any(key(run) == key(mark) for run in results["runs"]):
                continue
            name = f"{program}-{one.name}-{setting.short()}-{number + 1}"
            found = runs.run(name, f"{program}, {one.name}, {number + 1} of {count}", setting, one, program)
            results["runs"] += [{**mark, "copy": copy, **result} for copy, result in enumerate(found)]
            store(results, out)


def judge(results):
    """Returns the problems, one line each."""
    troubles = [f"{run['program']}, {run['side']}: {run['failure']}; log: {paths.relative(run['log'])}"
                for run in results["runs"] if run["failure"]]
    for setting in report.settings(results):
        for program in report.programs(results, setting):
            for name in report.others(results):
                troubles += [f"{program}: {name} has another result: {line}"
                             for line in report.differences(results, setting, program, name)[:5]]
    return troubles


def show(results, folder):
    print(f"\n{report.text(results)}\n")
    for path in report.write(results, folder):
        notice(f"wrote {paths.relative(path.absolute())}")
