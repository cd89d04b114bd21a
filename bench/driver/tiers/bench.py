# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench tiers`, which runs Spark programs with more cached data than memory, under each tier policy."""
import re
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path

from terrace.common import machine, memory_cap, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice, step
from ..measure import agreement, benchmarks, graphs, measure
from ..measure.device_cap import device_cap
from ..measure.ratios import ratio_text
from ..measure.series import chosen, load, store, turn
from ..measure.setting import MIB, add_h2, add_homes, add_out, add_report, add_selection, find_homes, parse_size
from ..measure.tables import Table, aligned, count, decimal, markdown, megabytes, spread
from ..spark.plan import Workload
from ..spark.runs import Machine, SparkRuns, terrace
from . import energy_report, gap

OUT = paths.BUILD / "bench/tiers"
INPUT = paths.BUILD / "demo/input"
LEVEL = "MEMORY_AND_DISK"

# Programs call loops in these libraries, which a plan should consider.
LIBRARIES = ("spark-mllib_*.jar", "spark-graphx_*.jar")


@dataclass(frozen=True)
class Policy:
    meaning: str
    flag: str = None       # H2TierPolicy, or None without tiers
    capped: bool = True
    plan: str = None       # of PLANS, or None without a plan
    quick: bool = True     # whether --quick runs it


POLICIES = {
    "dram": Policy("no memory limit; the reference for all other policies", capped=False),
    "interleave": Policy("every third region is fast, whatever is in it, as with a third of the memory fast", flag="interleave"),
    "lru": Policy("the system decides alone what stays in memory", flag="lru"),
    "untiered": Policy("no tiers: the VM finds out what can stay in memory (H2FastSize=0)", quick=False),
    "writes": Policy("fast what the program writes most; no plan (Kingsguard-writes)", flag="writes"),
    "hints": Policy("fast and slow as the plan of ./terrace place says", flag="hints", plan="plan.txt"),
    "lineage": Policy("the same for RDDs of the programs; RDDs of Spark's libraries take the tiers of their lineage", flag="hints",
                      plan="plan-program.txt"),
    "profile": Policy("as an earlier run with the plan read it (./terrace place --profile)", flag="hints", plan="plan-profile.txt"),
    "monitor": Policy("fast what the program accesses most; no plan", flag="monitor"),
    "both": Policy("as the plan says at first, then what the program accesses most", flag="both", plan="plan.txt"),
}

# Files with plans, and whether RDDs without an entry take tiers by lineage. The second has the entries of the programs' own lines. The
# third has the tiers of a profile of the program that runs next.
PLANS = {"plan.txt": False, "plan-program.txt": True, "plan-profile.txt": False}


WORKLOADS = {
    "pagerank": Workload("PageRank that caches contributions", on_graph=True,
                         quick="--persist-contributions --iterations 8 --partitions 16",
                         full="--persist-contributions --iterations 10 --partitions 64"),
    "logreg": Workload("logistic regression",
                       quick="--rows 350000 --iterations 15 --partitions 32",
                       full="--rows 1200000 --iterations 25 --partitions 160"),
    "components": Workload("connected components", on_graph=True, quick="--partitions 16", full="--partitions 64"),
    "kmeans": Workload("k-means",
                       quick="--rows 700000 --iterations 12 --partitions 32",
                       full="--rows 3000000 --iterations 20 --partitions 160"),
    "closure": Workload("transitive closure",
                        quick="--vertices 700 --edges 2800 --partitions 8",
                        full="--vertices 1500 --edges 6000 --partitions 64"),
    "sssp": Workload("shortest paths", on_graph=True,
                     quick="--landmarks 0,100,1000,10000 --partitions 16", full="--landmarks 0,100,1000,10000 --partitions 64"),
    "bayes": Workload("naive Bayes",
                      quick="--documents 300000 --partitions 32", full="--documents 1500000 --partitions 160"),
}
# The paper's seven programs are all of these. A quick run has three, to end within ten minutes.
QUICK_PROGRAMS = ("pagerank", "logreg", "components")

# Sums depend on the order in which tasks end, and a single run does not show the size of that effect.
DIGITS = 9


@dataclass(frozen=True)
class Size:
    edges: int
    heap: str
    fast: str              # H2FastSize
    beside: str            # memory in addition to the heap and H2FastSize, for the VM and for file buffers
    interval: int          # H2SampleInterval with monitoring, which must be smaller in a short run
    repeats: int
    timeout: int


QUICK = Size(1_000_000, "480m", "64m", "224m", 2000, 1, 120)
# The links of PageRank fit into fast memory, and its contributions do not.
FULL = Size(4_000_000, "640m", "352m", "224m", 5000, 3, 1200)


@dataclass(frozen=True)
class Quantity:
    label: str
    value: object          # of a run
    show: object
    ratio: bool = False


QUANTITIES = (
    Quantity("wall time, s", lambda run: run["wall"], decimal, ratio=True),
    Quantity("passes, s", gap.passes, decimal, ratio=True),
    Quantity("CPU time, s", lambda run: run["user"] + run["system"], decimal, ratio=True),
    Quantity("collections, s", lambda run: run["gc"]["minor_seconds"] + run["gc"]["major_seconds"], decimal),
    Quantity("read from the device, MB", lambda run: run["report"]["deviceReadBytes"], megabytes),
    Quantity("read by tasks from memory, %", lambda run: from_memory(run["report"]), decimal),
    Quantity("written to the device, MB", lambda run: run["device_written"], megabytes),
    Quantity("prefetched, MB", lambda run: run["report"]["h2"]["PrefetchedBytes"], megabytes),
    Quantity("paged out, MB", lambda run: run["report"]["h2"]["PagedOutBytes"], megabytes),
    Quantity("became fast by accesses, MB", lambda run: run["report"]["h2"].get("MigratedToFastBytes", 0), megabytes),
    Quantity("became slow by accesses, MB", lambda run: run["report"]["h2"].get("MigratedToSlowBytes", 0), megabytes),
    Quantity("sampling, CPU s", lambda run: run["report"]["h2"].get("SampleNanos", 0) / 1e9, decimal),
    Quantity("moved to H2, MB", lambda run: run["report"]["h2"]["MovedBytes"], megabytes),
    Quantity("cached partitions in H2", lambda run: run["h2_blocks"], count),
    Quantity("RDDs with a tier of the plan", lambda run: run.get("rdds", {}).get("plan", 0), count),
    Quantity("RDDs with a tier by lineage", lambda run: run.get("rdds", {}).get("lineage", 0), count),
)


def add(commands):
    tiers = commands.add_parser(
        "tiers", help="Spark programs with fast and slow memory, with each tier policy",
        description="""Runs Spark programs on Terrace with the same heap, alternately with each policy. Except with 'dram',
            memory including the page cache is limited to the heap, H2FastSize, and some memory for the VM. 'hints' and 'both'
            follow the plan that `./terrace place` derives from the programs' classes and Spark's libraries. 'lineage' follows the lines of
            this plan that are in the programs. Prints the plan and tables, and writes them as Markdown. If a run fails, or if results differ, the remaining runs follow and the
            exit status is 1.""")
    tiers.add_argument("--quick", action="store_true", help="use a small graph and three of the programs; takes less than ten minutes")
    tiers.add_argument("--list", action="store_true", help="print the programs and the policies, and run nothing")
    add_selection(tiers, "--only", "W[,W]", "programs", WORKLOADS)
    add_selection(tiers, "--policy", "P[,P]", "policies", POLICIES)
    tiers.add_argument("--edges", type=int, metavar="N",
                       help=f"number of edges of the random graph (default {FULL.edges:,}; quick {QUICK.edges:,})")
    tiers.add_argument("--heap", metavar="SIZE", help=f"-Xmx (default {FULL.heap}; quick {QUICK.heap})")
    tiers.add_argument("--fast", metavar="SIZE", help=f"H2FastSize (default {FULL.fast}; quick {QUICK.fast})")
    tiers.add_argument("--beside", metavar="SIZE",
                       help=f"memory in addition to the heap and H2FastSize (default {FULL.beside}; quick {QUICK.beside})")
    tiers.add_argument("--device", metavar="SIZE",
                       help="limit reads from the disk of the second heap to this amount per second, to simulate a cloud disk")
    tiers.add_argument("--repeats", type=int, metavar="N",
                       help=f"number of rounds (default {FULL.repeats}; quick {QUICK.repeats})")
    add_report(tiers)
    tiers.add_argument("--energy", type=Path, nargs="*", metavar="DIR",
                       help="run nothing, and model the energy and cost of DRAM and non-volatile memory over the share of DRAM from "
                            "DIR/results.json (default: that in --out); results with other --fast give more points of the curves")
    tiers.add_argument("--svg", type=Path, metavar="FILE", help="with --energy, also plot")
    add_h2(tiers)
    add_homes(tiers, "compile with")
    add_out(tiers, OUT, "results, logs and tables")
    tiers.set_defaults(run=run)


def run(arguments):
    if arguments.list:
        return print_list()
    if arguments.report:
        return show(load(arguments.report), arguments.report)
    if arguments.svg and arguments.energy is None:
        raise Failure("--svg needs --energy")
    if arguments.energy is not None:
        programs = {name: WORKLOADS[name].title for name in chosen("--only", arguments.only, WORKLOADS)}
        return energy_report.report(arguments.energy or [arguments.out], arguments.svg, programs,
                                    chosen("--policy", arguments.policy, POLICIES))
    started = time.monotonic()
    size = QUICK if arguments.quick else FULL
    programs = chosen("--only", arguments.only, QUICK_PROGRAMS if arguments.quick and not arguments.only else WORKLOADS)
    policies = chosen("--policy", arguments.policy, POLICIES)
    if arguments.quick and not arguments.policy:
        policies = [policy for policy in policies if POLICIES[policy].quick]
    repeats = size.repeats if arguments.repeats is None else arguments.repeats
    edges = size.edges if arguments.edges is None else arguments.edges
    for name, value in (("--repeats", repeats), ("--edges", edges)):
        if value < 1:
            raise Failure(f"{name}: at least 1")
    heap, fast, beside = (parse_size(f"--{name}", getattr(arguments, name) or getattr(size, name))
                          for name in ("heap", "fast", "beside"))
    if any(POLICIES[policy].capped for policy in policies):
        memory_cap.require("this measurement needs a memory limit")
    cap = heap + fast + beside
    rate = arguments.device and parse_size("--device", arguments.device)
    out = arguments.out.absolute()
    h2 = (arguments.h2 or out / "h2").absolute()
    writable("--out", out / "runs")
    writable("--h2" if arguments.h2 else "--out", h2)
    homes = find_homes(arguments)
    benchmarks.SPARK.build(homes["stock"])
    graph = graphs.random_graph(edges, INPUT, homes["stock"])
    plan = make_plans(out)
    notice(f"-Xmx{heap // MIB}m, -XX:H2FastSize={fast // MIB}m, memory capped at {cap // MIB} MB with page cache; the plan:")
    notice("\n".join(f"  {line}" for line in plan))
    results = {"quick": arguments.quick, "heap_bytes": heap, "fast_bytes": fast, "cap": cap, "device_rate": rate,
               "graph": graph, "plan": plan,
               "facts": machine.facts(h2), "interval": size.interval,
               "started": time.strftime("%Y-%m-%d %H:%M:%S"), "runs": []}
    measure.touch_memory(cap)
    runs = {capped: SparkRuns(heap, cap if capped else 0, size.timeout, out / "runs") for capped in (True, False)}
    order = [(program, repeat, policy) for program in programs for repeat in range(repeats) for policy in turn(policies, repeat)]
    profiled = None
    with device_cap(h2, rate):
        for program, repeat, policy in order:
            if policy == "profile" and profiled != program:
                make_profiled_plan(runs[True], homes["terrace"], h2, out, fast, size.interval, program, arguments.quick, graph)
                profiled = program
            results["runs"].append(one_run(runs[POLICIES[policy].capped], homes["terrace"], h2, out, fast,
                                           size.interval, program, policy, repeat + 1, arguments.quick, graph))
            store(results, out)
    show(results, out)
    notice(f"it took {clock(time.monotonic() - started)}; logs of all runs: {paths.relative(out / 'runs')}")
    troubles = judge(results)
    if troubles:
        raise Failure("problems:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def print_list():
    for program, workload in WORKLOADS.items():
        print(f"{program:12} {workload.title}")
    print()
    for name, policy in POLICIES.items():
        print(f"{name:12} {policy.meaning}")


def make_plans(folder):
    """Writes the plans of the benchmark programs. Returns the lines of the first one that place an RDD."""
    file = folder / "plan.txt"
    with step("plan") as current:
        place(file)
        title, *lines = file.read_text().splitlines()
        lines = [line for line in lines if line and not line.startswith("#")]
        own = [line for line in lines if is_own(line)]
        (folder / "plan-program.txt").write_text("\n".join([title, *own]) + "\n")
        current.done(f"{len(lines)} creation sites, {len(own)} of them in the programs")
    return lines


def place(file, *options):
    file.unlink(missing_ok=True)
    libraries = sorted(jar for pattern in LIBRARIES for jar in benchmarks.SPARK.dependencies.glob(pattern))
    result = subprocess.run([paths.ROOT / "terrace", "place", benchmarks.SPARK.classes, *libraries, "--out", file, *options],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0 or not file.exists():
        raise Failure(f"./terrace place {paths.relative(benchmarks.SPARK.classes)} made no plan:\n{result.stdout}")


def make_profiled_plan(runs, home, h2, plans, fast, interval, program, quick, graph):
    """Runs a program once with the plan of the analysis, and writes the plan of the profile of this run."""
    profile = plans / f"profile-{program}.txt"
    profile.unlink(missing_ok=True)
    machine_with_plan = machine_of(POLICIES["hints"], home, h2, plans, runs.heap, fast, interval)
    machine_with_profile = replace(machine_with_plan,
                                   spark=(*machine_with_plan.spark, "--conf", f"spark.terrace.profile={profile}"))
    workload = WORKLOADS[program]
    inputs = [graph["path"]] if workload.on_graph else []
    result = runs.run(f"{program}-profiled", f"{workload.title}, run for the profile", machine_with_profile, program,
                      [*workload.words(quick), "--storage-level", LEVEL, *inputs], inputs=inputs)
    if result["failure"]:
        raise Failure(f"{program}: the run for the profile failed: {result['failure']}; log: {paths.relative(result['log'])}")
    with step(f"plan of the profile of {program}"):
        place(plans / "plan-profile.txt", "--profile", profile)


def is_own(line):
    """Whether the creation site of a plan's line is in the benchmark programs."""
    source = line.partition(" # ")[0].rpartition(" at ")[2].partition(":")[0]
    return any(True for _ in (benchmarks.SPARK.folder / "src/main/java").rglob(source))


def machine_of(policy, home, h2, plans, heap, fast, interval):
    """Returns the JVM under a policy, with the options of Spark. `plans` is the folder of the plans."""
    base = terrace(home, h2)
    # The complete heap is touched at the start, so that all runs have the same part of the limit left.
    base_vm = (*base.vm, f"-Xms{heap // MIB}m", "-XX:+AlwaysPreTouch")
    flags = () if not policy.flag else (f"-XX:H2FastSize={fast}", f"-XX:H2TierPolicy={policy.flag}",
                                        f"-XX:H2SampleInterval={interval}")
    settings = ()
    if policy.plan:
        settings = ("--conf", f"spark.terrace.plan={plans / policy.plan}",
                    "--conf", f"spark.terrace.lineage={str(PLANS[policy.plan]).lower()}")
    return Machine(base.home, base_vm + flags, base.spark + settings)


def one_run(runs, home, h2, plans, fast, interval, program, policy, repeat, quick, graph):
    workload = WORKLOADS[program]
    inputs = [graph["path"]] if workload.on_graph else []
    result = runs.run(f"{program}-{policy}-{repeat}", f"{workload.title}, {policy}, round {repeat}",
                      machine_of(POLICIES[policy], home, h2, plans, runs.heap, fast, interval), program,
                      [*workload.words(quick), "--storage-level", LEVEL, *inputs], inputs=inputs)
    return {"program": program, "policy": policy, "repeat": repeat, **result,
            "rdds": placed(Path(result["log"]).read_text(errors="replace"))}


def placed(log):
    """Returns how many RDDs have a tier of the plan and by lineage, as the plugin's messages in a log tell."""
    found = dict(re.findall(r"Terrace: RDD (\d+), .* belongs to tier (?:FAST|SLOW|HEAP): (its entry|computed) ", log))
    return {"plan": list(found.values()).count("its entry"), "lineage": list(found.values()).count("computed")}


def from_memory(report):
    """Returns the percentage of the bytes that tasks read for which the device did not, or None if the tasks read nothing."""
    read = report.get("taskReadBytes", 0)
    return max(0.0, 1 - report["deviceReadBytes"] / read) * 100 if read else None


# -- Results --------------------------------------------------------------------------------------------------------

def succeeded(results, program, policy):
    return [run for run in results["runs"]
            if (run["program"], run["policy"]) == (program, policy) and not run["failure"]]


def judge(results):
    troubles = [f"{run['program']}, {run['policy']}, round {run['repeat']}: {run['failure']}; log: {paths.relative(run['log'])}"
                for run in results["runs"] if run["failure"]]
    for program in WORKLOADS:
        found = {policy: [run["report"]["result"] for run in succeeded(results, program, policy)] for policy in POLICIES}
        reference = next((policy for policy in POLICIES if found[policy]), None)
        others = [result for policy in POLICIES if policy != reference for result in found[policy]]
        if others:
            differences = agreement.compare(found[reference], others, DIGITS)[1]
            troubles += [f"{program}: results differ from those of {reference}: {line}" for line in differences[:5]]
    return troubles


def ratios(results, program, policy, value):
    """Returns the ratios of hints to another policy, within each round."""
    others = {run["repeat"]: run for run in succeeded(results, program, policy)}
    return [value(run) / value(others[run["repeat"]]) for run in succeeded(results, program, "hints")
            if run["repeat"] in others]


def tables(results):
    made = []
    for program, workload in WORKLOADS.items():
        there = [policy for policy in POLICIES if succeeded(results, program, policy)]
        if not there:
            continue
        rows = [[quantity.label, *(spread([quantity.value(run) for run in succeeded(results, program, policy)],
                                          quantity.show) for policy in there)] for quantity in QUANTITIES]
        if "hints" in there:
            rows += [[f"hints ÷ this, {quantity.label.split(',')[0]}",
                      *(ratio_text(ratios(results, program, policy, quantity.value)) for policy in there)]
                     for quantity in QUANTITIES if quantity.ratio]
        made.append(Table(workload.title, ["", *there], rows))
    shares = gap.table({workload.title: [run for run in results["runs"] if run["program"] == program and not run["failure"]]
                        for program, workload in WORKLOADS.items() if any(run["program"] == program for run in results["runs"])})
    return [*made, shares] if shares else made


def device_text(results):
    rate = results.get("device_rate")
    return f"At most {rate // MIB} MB/s are read from the disk of the second heap. " if rate else ""


def show(results, folder):
    made = tables(results)
    print("\n" + "\n\n".join(f"{table.title}\n{aligned(table)}" for table in made) + "\n")
    size = (f"`-Xmx{results['heap_bytes'] // MIB}m`, `H2FastSize` {results['fast_bytes'] // MIB} MB, memory capped at "
            f"{results['cap'] // MIB} MB with page cache, but for dram. "
            f"{device_text(results)}With monitoring, "
            f"`H2SampleInterval` {results['interval']}. {results['graph']['title']}: "
            f"{results['graph']['edges']:,} edges.")
    facts = "\n".join(f"* {name}: {value}" for name, value in results["facts"].items())
    plan = "\n".join(f"    {line}" for line in results["plan"])
    file = folder / "report.md"
    file.write_text("\n\n".join([f"# Tiers, {results['started']}", size, facts, "The plan:", plan,
                                 *map(markdown, made)]) + "\n")
    notice(f"wrote {paths.relative(file.absolute())}")
