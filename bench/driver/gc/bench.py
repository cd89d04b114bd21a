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
from ..measure.setting import add_out, add_report, add_resume
from ..spark.bench import INPUT
from . import report
from .plan import COLLECTORS, HEAP_FACTOR, PROGRAMS, Setting, side
from .runs import GcRuns

OUT = paths.BUILD / "bench/gc"
SIDES = ("stock=stock", "terrace=terrace")
QUICK_PAIRS, FULL_PAIRS = 3, 5
QUICK_EDGES = 100_000


def add(commands):
    text = """Runs programs that use third-party libraries alternately on several JVMs, by default the distribution's and
        Terrace's, in heaps that are small enough to keep the collector busy. Prints medians and ranges of time, CPU time, GC
        time, pauses and latencies, and ratios to the first side with confidence bounds. Ratios whose bounds include 1 are
        marked as 'within noise'. Writes the tables as Markdown, with plots. The exit status is 1 if results differ between
        JVMs or if a run fails."""
    gc = commands.add_parser("gc", help="programs with third-party libraries under a collector, on several JVMs", description=text)
    gc.add_argument("--list", action="store_true", help="print the programs with their descriptions, and run nothing")
    gc.add_argument("--only", metavar="P[,P]", help="run only these programs; --list prints all names")
    gc.add_argument("--side", "--jdk", action="append", metavar="NAME[@X]=HOME[,FLAG...]",
                    help="a JVM with its own flags (may be repeated). All sides are compared with the first one. HOME is the "
                         "folder of a JDK, 'stock' or 'terrace'. X replaces --heap-factor for this side, and may be less than 1 "
                         "with a second heap (default: --side stock=stock --side terrace=terrace)")
    gc.add_argument("--quick", action="store_true", help="use small inputs, with runs of some seconds")
    gc.add_argument("--pairs", type=int, metavar="N",
                    help=f"number of rounds; each round runs every side once (default {FULL_PAIRS}; quick {QUICK_PAIRS})")
    add_circumstances(gc)
    gc.add_argument("--task-stats", action="store_true",
                    help="also count work stealing, if the VM logs it: Terrace with a flag of GC threads, or a debug build")
    add_resume(gc, " and those that failed; --only, --pairs, --gc and the conditions may differ from earlier calls")
    add_report(gc, "tables and plots")
    add_out(gc, OUT, "results, logs, tables and plots")
    gc.set_defaults(run=run)


def add_circumstances(gc):
    gc.add_argument("--gc", metavar="G[,G]", default="parallel", help=f"collectors: {', '.join(COLLECTORS)} "
                                                                      "(default parallel)")
    gc.add_argument("--gc-threads", metavar="N[,N]", help="ParallelGCThreads (default: the VM's default)")
    gc.add_argument("--heap-factor", type=float, default=HEAP_FACTOR, metavar="X",
                    help=f"-Xms and -Xmx, as a multiple of the smallest heap that the program can run in "
                         f"(default {HEAP_FACTOR:g})")
    gc.add_argument("--mutators", metavar="N[,N]",
                    help="threads, connections or Spark cores of the programs (default: one per processor, or four); does not "
                         "affect the compilers")
    gc.add_argument("--beside-loops", type=int, default=0, metavar="N", help="run N busy loops at the same time")
    gc.add_argument("--two-at-once", action="store_true", help="run two VMs of a side at once, and use the mean of both")
    gc.add_argument("--container", choices=list(processor_cap.KINDS), default="", metavar="KIND",
                    help="run each VM in a separate control group: one-cpu (a cpuset of one processor), half-cpu (a quota of "
                         "half a processor's time), or changing-cpuset (alternately all processors and one processor, "
                         f"{processor_cap.CHANGE_SECONDS} s each)")
    gc.add_argument("--memory-beside", type=int, default=0, metavar="MB",
                    help="limit the memory of each VM, including the page cache, to its heap plus this amount (default: no limit)")


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
    libraries.offer("matplotlib")
    libraries.offer("scipy")
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
        raise Failure("problems:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def require_cap(arguments):
    """Fails if a memory limit is requested but not possible."""
    at_least("--memory-beside", 0, arguments.memory_beside)
    if arguments.memory_beside and arguments.container:
        raise Failure("--memory-beside: cannot be combined with --container, because a VM has only one control group: omit one of them")
    if arguments.memory_beside:
        memory_cap.require("--memory-beside needs a memory limit")


def settings(arguments):
    """Returns a setting for each combination of collector and numbers of threads."""
    if not arguments.heap_factor >= 1:
        raise Failure(f"--heap-factor: {arguments.heap_factor:g} is too small: use at least 1, the smallest heap that a program can run in")
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
            raise Failure(f"--side: two sides have the name {one.name}: give each side another name")
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
                          "Name another --out, or omit --resume")
    # Failed runs are repeated.
    failed = {key(run) for run in results["runs"] if run["failure"]}
    results["runs"] = [run for run in results["runs"] if key(run) not in failed]
    for name, of in described.items():
        before = results["sides"].setdefault(name, of)
        other = [what for what in of if of[what] != before.get(what)]
        if other:
            raise Failure(f"--resume: the side {name} in {paths.relative(out)} was measured with other {', '.join(other)}. Give this "
                          "side another name, or name another --out")
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
        benchmarks.GC.build(home)
    if spark:
        benchmarks.SPARK.build(home)
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
