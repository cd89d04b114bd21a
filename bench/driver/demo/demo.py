# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace demo`, which runs two Spark programs that cache more than the heap holds, on stock ParallelGC and on Terrace.

Both sides get the same heap and, if the kernel permits it, the same limit on memory with page cache. Runs alternate.
The demo fails when results differ, when a run fails, or when Terrace did not keep every partition in memory as objects.
"""
import re
import time
from pathlib import Path

from terrace.common import libraries, machine, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice
from ..measure import agreement, benchmarks, graphs, measure
from ..measure.series import store
from ..measure.setting import BESIDE_HEAP, LEAST_HEAP, add_h2, add_homes, add_out, choose_cap, find_homes, parse_size
from ..measure.tables import megabytes
from . import on_cluster, report, summary
from .demo_runs import Bench

DEMO = paths.BUILD / "demo"
MIB = 1 << 20

MORE_STOCK_RUNS = 3
# Programs that add floating-point numbers in the order in which tasks end.
ADDS_AS_TASKS_END = {"logreg"}


class Plan:
    """The amount of work for the programs, in the order in which they run."""

    def __init__(self, graph, cluster_graph, heap, repeats, timeout, logreg, pagerank):
        self.graph, self.cluster_graph, self.heap, self.repeats, self.timeout = graph, cluster_graph, heap, repeats, timeout
        self.programs = {"logreg": logreg, "pagerank": pagerank}


FULL = Plan("callgraph", "callgraph", "512m", 3, 1800,
            logreg=["--rows", "2000000", "--columns", "100", "--iterations", "25", "--partitions", "160"],
            pagerank=["--iterations", "10", "--partitions", "64"])
QUICK = Plan("sparkgraph", "packagegraph", "512m", 2, 1800,
             logreg=["--rows", "350000", "--columns", "100", "--iterations", "25", "--partitions", "32"],
             pagerank=["--iterations", "3", "--partitions", "32"])


def register(add):
    demo = add(
        description="Runs Spark PageRank on a real graph and MLlib's logistic regression on the distribution's JVM and on "
                    "Terrace, with the same heap and memory limit. Both programs cache more data than Spark's share of the "
                    "heap holds. Builds the JDKs if they are missing. Prints a table and writes an HTML page. "
                    "docs/measurements/demo.md explains both.")
    demo.add_argument("--quick", action="store_true", help="use small inputs and two repeats; takes about four minutes")
    demo.add_argument("--cluster", type=int, metavar="N",
                      help="instead of measuring, run on a cluster of N executors on this machine, kill one of them, and check "
                           "that the results are equal")
    demo.add_argument("--heap", metavar="SIZE", help=f"-Xmx of both sides (default {FULL.heap}; quick {QUICK.heap})")
    demo.add_argument("--memory", metavar="SIZE",
                      help=f"memory limit of both sides, including the page cache (default: the heap plus {BESIDE_HEAP // MIB}m); "
                           "0 is no limit, and ratios are omitted")
    demo.add_argument("--repeats", type=int, metavar="N",
                      help=f"runs of each program on each side (default {FULL.repeats}; quick {QUICK.repeats})")
    demo.add_argument("--only", choices=list(FULL.programs), metavar="PROGRAM",
                      help=f"run only this program: {' or '.join(FULL.programs)}")
    add_h2(demo)
    add_homes(demo)
    add_out(demo, DEMO, "results, logs and the page")
    demo.add_argument("--keep", action="store_true", help="keep the logs of the previous demo")
    demo.set_defaults(run=run)


def run(arguments):
    started = time.monotonic()
    plan = QUICK if arguments.quick else FULL
    heap = choose_heap(arguments, plan)
    if arguments.cluster is not None:
        return run_on_cluster(arguments, plan, heap)
    repeats = plan.repeats if arguments.repeats is None else arguments.repeats
    if repeats < 1:
        raise Failure("--repeats: at least 1")
    programs = [arguments.only] if arguments.only else list(plan.programs)
    cap, why = choose_cap(arguments.memory, heap)
    out = arguments.out.absolute()
    logs = out / "runs"
    fresh_folder(out, logs, arguments.keep)
    h2 = (arguments.h2 or out / "h2").absolute()
    writable("--h2" if arguments.h2 else "--out", h2)
    homes = find_homes(arguments)
    benchmarks.SPARK.build(homes["stock"])
    page_trouble = prepare_page()
    graph = graphs.graph(plan.graph, DEMO / "input", homes["stock"])
    notice(f"-Xmx{heap // MIB}m, " + (f"memory capped at {cap // MIB} MB with page cache" if cap else
                                      f"no memory cap ({why}): times are shown, ratios are not"))
    results = {
        "quick": arguments.quick, "heap_bytes": heap, "cap_bytes": cap, "no_cap": why, "repeats": repeats,
        "started": time.strftime("%Y-%m-%d %H:%M:%S"), "graph": graph, "facts": machine.facts(h2),
        "versions": {side: machine.java_version(home) for side, home in homes.items()},
        "again": reproduce(arguments), "page": str(out / "report.html"),
        "settings": {program: plan.programs[program] for program in programs},
        "programs": {program: {"digits": 0, "differences": []} for program in programs}, "runs": [],
    }
    measure.touch_memory(cap or heap + BESIDE_HEAP)
    bench = Bench(plan, heap, cap, graph, homes, h2, logs)
    for repeat in range(repeats):
        for program in programs:
            # Each side runs first equally often.
            for side in summary.SIDES if repeat % 2 == 0 else reversed(summary.SIDES):
                results["runs"].append(bench.run(program, side, repeat + 1, f"{repeat + 1} of {repeats}"))
                store(results, out)
    for program in programs:
        settle(results, program, bench)
    troubles = judge(results)
    store(results, out)

    print(f"\n{summary.text(results)}\n")
    if page_trouble:
        notice(f"no page: {page_trouble}\nAfter solving this problem, generate the page with './terrace report'.")
    else:
        page = report.write(results, out / "report.html")
        notice(f"plots of both heaps and the pauses: {paths.relative(page)}")
    notice(f"the demo took {clock(time.monotonic() - started)}; logs of all runs: {paths.relative(logs)}")
    if troubles:
        raise Failure("the demo failed:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def run_on_cluster(arguments, plan, heap):
    if arguments.cluster < 2:
        raise Failure("--cluster: at least 2 executors, so that one can be lost")
    for option in ("memory", "repeats", "h2", "keep"):
        if getattr(arguments, option):
            raise Failure(f"--{option} has no effect with --cluster: omit it")
    folder = arguments.out.absolute() / "cluster"
    writable("--out", folder)
    homes = find_homes(arguments)
    benchmarks.SPARK.build(homes["stock"])
    graph = graphs.graph(plan.cluster_graph, DEMO / "input", homes["stock"])
    on_cluster.run(on_cluster.Setting(arguments.quick, arguments.cluster, heap, homes, graph, folder),
                     [arguments.only] if arguments.only else list(plan.programs))


def choose_heap(arguments, plan):
    heap = parse_size("--heap", arguments.heap or plan.heap)
    if not LEAST_HEAP <= heap <= machine.meminfo()["MemTotal"]:
        raise Failure(f"--heap: {heap // MIB}m; Spark needs {LEAST_HEAP // MIB}m at least, and this machine has "
                      f"{machine.meminfo()['MemTotal'] // MIB}m")
    return heap


def prepare_page():
    """Installs the libraries of the page before the long part. Returns why there will be no page, or None."""
    try:
        libraries.require("plotly")
        return None
    except Failure as failure:
        return str(failure)


def fresh_folder(out, logs, keep):
    writable("--out", out)
    if keep and logs.exists():
        number = 1
        while logs.with_name(f"{logs.name}-{number}").exists():
            number += 1
        logs.rename(logs.with_name(f"{logs.name}-{number}"))
    writable("--out", logs)
    of_a_run = re.compile(rf"({'|'.join(FULL.programs)})-({'|'.join(summary.SIDES)})-\d+\.")
    for file in logs.iterdir():
        if of_a_run.match(file.name):
            file.unlink()


def settle(results, program, bench):
    """Compares the results. If they differ, stock runs a few more times to measure how well it reproduces its own result.

    A few runs of stock may all add in one order, and those on Terrace in another. So at last, a program that adds in the order in which
    tasks end must agree to fewer digits.
    """
    compare(results, program)
    for extra in range(MORE_STOCK_RUNS):
        if not results["programs"][program]["differences"] or not all(
                summary.runs(results, program, side) for side in summary.SIDES):
            return
        repeat = 1 + sum(1 for run in results["runs"] if (run["program"], run["side"]) == (program, "stock"))
        results["runs"].append(bench.run(program, "stock", repeat, "once more, to see how many digits repeat"))
        compare(results, program)
    if results["programs"][program]["differences"] and program in ADDS_AS_TASKS_END:
        compare(results, program, agreement.REORDERED_DIGITS)


def compare(results, program, at_most=agreement.ALL_DIGITS):
    found = {side: [run["report"]["result"] for run in summary.runs(results, program, side)] for side in summary.SIDES}
    verdict = results["programs"][program]
    if all(found.values()):
        verdict["digits"], verdict["differences"] = agreement.compare(found["stock"], found["terrace"], at_most)
    else:
        verdict["digits"], verdict["differences"] = 0, ["a side has no result"]


def judge(results):
    """Returns the problems, one line each."""
    troubles = []
    for run in results["runs"]:
        where = f"{summary.NAMES[run['program']]}, {summary.NAMES[run['side']]}, repeat {run['repeat']}"
        log = paths.relative(run["log"])
        if run["failure"]:
            troubles.append(f"{where}: {run['failure']}; log: {log}")
        elif run["side"] == "terrace":
            cached, spilled = run["report"]["cached"], run["report"]["spilled"]
            if cached["inMemory"] < max(1, cached["partitions"]):
                troubles.append(f"{where}: only {cached['inMemory']} of {cached['partitions']} partitions stayed in "
                                f"memory; log: {log}")
            if spilled["cachedBytes"] or cached["onDisk"]:
                troubles.append(f"{where}: {megabytes(spilled['cachedBytes'])} MB of cached data were serialized; "
                                f"log: {log}")
            if run["gc"]["moved_bytes"] == 0:
                troubles.append(f"{where}: nothing moved to the second heap; log: {log}")
    for program, verdict in results["programs"].items():
        troubles += [f"{summary.NAMES[program]}: results differ: {line}" for line in verdict["differences"][:5]]
    return troubles


def reproduce(arguments):
    """Returns the command line of this demo."""
    words = ["./terrace", "demo"]
    for option in ("quick", "keep"):
        words += [f"--{option}"] if getattr(arguments, option) else []
    for option in ("heap", "memory", "repeats", "only", "h2", "stock", "terrace"):
        if getattr(arguments, option) is not None:
            words += [f"--{option}", str(getattr(arguments, option))]
    if arguments.out != DEMO:
        words += ["--out", str(arguments.out)]
    return " ".join(words)
