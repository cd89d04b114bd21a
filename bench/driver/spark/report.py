# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables of `terrace bench spark`, as text and as Markdown, and the underlying numbers."""
import statistics

from terrace.common import libraries
from ..measure import agreement
from ..measure.quantities import QUANTITIES
from ..measure.ratios import CONFIDENCE, bounds_text, confidence, ratio_text, verdict
from ..measure.tables import Table, aligned, decimal, markdown, spread
from . import plots, profile as profiles
from .plan import LEVELS, SIDES, STOCK, WORKLOADS

MIB = 1 << 20
SHORT = {"MEMORY_ONLY": "M", "MEMORY_AND_DISK": "MD", "MEMORY_ONLY_SER": "MS", "MEMORY_AND_DISK_SER": "MDS"}


# -- Selection of runs ----------------------------------------------------------------------------------------------

def select(runs, **what):
    return [run for run in runs if all(run[name] == value for name, value in what.items())]


def succeeded(runs, **what):
    return [run for run in select(runs, **what) if not run["failure"]]


def fastest(runs):
    return min((run for run in runs if not run["failure"]), key=lambda run: run["wall"], default=None)


def measured(runs, program, cap, side):
    """Returns the runs that represent a side: repeats and pairs, or else the fastest run of the first pass."""
    mine = select(runs, program=program, cap=cap, side=side)
    return [run for run in mine if run["phase"] in ("repeat", "pair")] \
        or [run for run in [fastest(select(mine, phase="select"))] if run]


def measured_well(runs, program, cap, side):
    return [run for run in measured(runs, program, cap, side) if not run["failure"]]


def best_stock(runs, program, cap):
    """Returns the stock side with the smallest median wall time, or None."""
    walls = {side: [run["wall"] for run in measured_well(runs, program, cap, side)] for side in STOCK}
    return min((side for side in STOCK if walls[side]), key=lambda side: statistics.median(walls[side]), default=None)


def median_run(runs):
    ordered = sorted(runs, key=lambda run: run["wall"])
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def caps(results):
    return list(dict.fromkeys(run["cap"] for run in results["runs"]))


def programs(results, cap):
    there = {run["program"] for run in select(results["runs"], cap=cap)}
    return [program for program in WORKLOADS if program in there]


def sides(results, cap):
    there = {run["side"] for run in select(results["runs"], cap=cap)}
    return [side for side in SIDES if side in there]


def name_of(cap):
    return f"{cap // MIB} MB" if cap else "no cap"


# -- Ratios ---------------------------------------------------------------------------------------------------------

def wall_time(run):
    return run["wall"]


def cpu_time(run):
    return run["user"] + run["system"]


def ratios(runs, program, cap, phase, value=wall_time):
    """Returns the ratios of Terrace to the fastest stock side, within each round."""
    stock = [run for run in succeeded(runs, program=program, cap=cap, phase=phase) if run["side"] in STOCK]
    if phase == "repeat":
        stock = [run for run in stock if run["side"] == best_stock(runs, program, cap)]
    terrace = {run["repeat"]: run for run in succeeded(runs, program=program, cap=cap, phase=phase, side="terrace")}
    return [value(terrace[run["repeat"]]) / value(run) for run in stock if run["repeat"] in terrace]


# -- Tables ---------------------------------------------------------------------------------------------------------

def tables(results):
    made = []
    for cap in caps(results):
        made += [overview(results, cap), first_pass(results, cap)]
        if select(results["runs"], cap=cap, phase="pair"):
            made.append(pairs(results, cap))
        made.append(profile(results, cap))
        made += [details(results, cap, program) for program in programs(results, cap)]
    return [table for table in made if table.rows]


def overview(results, cap):
    """Returns the table of wall times at each side's level, with the ratio of Terrace to the fastest stock side."""
    shown = sides(results, cap)
    rows = []
    for program in programs(results, cap):
        mine = {side: measured(results["runs"], program, cap, side) for side in shown}
        wall, cpus = (ratios(results["runs"], program, cap, "repeat", value)
                      or ratios(results["runs"], program, cap, "pair", value) for value in (wall_time, cpu_time))
        rows.append([WORKLOADS[program].title, kept(results, cap, program), *(timing(mine[side]) for side in shown),
                     ratio_text(wall), bounds_text(wall), ratio_text(cpus), equal(results, cap, program)])
    titles = [SIDES[side].title(results["versions"]) for side in shown]
    return Table(f"Wall time in seconds, -Xmx{results['heap_bytes'] // MIB}m, {name_of(cap)}",
                 ["", "kept", *titles, "ratio", f"{CONFIDENCE:.0%}", "CPU ratio", "equal"], rows)


def kept(results, cap, program):
    """Returns how many of the cached partitions stock ParallelGC holds in memory at the end, as objects and without disk."""
    runs = succeeded(results["runs"], cap=cap, program=program, side="parallel", level="MEMORY_ONLY", phase="select")
    if not runs:
        return "–"
    cached = runs[0]["report"]["cached"]
    return f"{cached['inMemory']}/{cached['partitions']}"


def timing(runs):
    """Returns median and range, and the storage level."""
    if not runs:
        return "–"
    good = [run["wall"] for run in runs if not run["failure"]]
    failed = [run for run in runs if run["failure"]]
    text = f"{spread(good, decimal)} {SHORT[runs[0]['level']]}" if good else ""
    return "; ".join(filter(None, [text, f"{len(failed)} × {brief(failed[0]['failure'])}" if failed else ""]))


def brief(failure):
    for known in ("out of memory", "killed", "ended after"):
        if known in failure:
            return known if known != "ended after" else "time out"
    return "failed"


def equal(results, cap, program):
    """Returns to how many digits the results of Terrace and stock agree."""
    found = [[run["report"]["result"] for side in of for run in
              succeeded(results["runs"], cap=cap, program=program, side=side)] for of in (STOCK, ["terrace"])]
    if not all(found):
        return "–"
    digits, differences = agreement.compare(*found)
    return "NO" if differences else "all" if digits >= agreement.ALL_DIGITS else f"{digits} digits"


def first_pass(results, cap):
    rows = []
    for program in programs(results, cap):
        for side in STOCK:
            cells = []
            best = fastest(select(results["runs"], cap=cap, program=program, side=side, phase="select"))
            for level in LEVELS:
                runs = select(results["runs"], cap=cap, program=program, side=side, level=level, phase="select")
                mark = "*" if best and runs and runs[0] is best else ""
                cells.append((brief(runs[0]["failure"]) if runs[0]["failure"] else decimal(runs[0]["wall"]) + mark)
                             if runs else "–")
            if any(cell != "–" for cell in cells):
                rows.append([WORKLOADS[program].title, SIDES[side].title(results["versions"]), *cells])
    return Table(f"First pass: one run at each storage level, seconds, {name_of(cap)}; * is the fastest",
                 ["", "", *LEVELS], rows)


def pairs(results, cap):
    rows = []
    for program in programs(results, cap):
        wall = ratios(results["runs"], program, cap, "pair")
        if wall:
            runs = succeeded(results["runs"], cap=cap, program=program, phase="pair")
            stock = [run for run in runs if run["side"] in STOCK]
            rows.append([WORKLOADS[program].title, SIDES[stock[0]["side"]].title(results["versions"]),
                         str(len(wall)), timing(stock), timing([run for run in runs if run["side"] == "terrace"]),
                         ratio_text(wall), bounds_text(wall), verdict(confidence(wall))])
    return Table(f"Pairs of the fastest stock side and Terrace, seconds, {name_of(cap)}",
                 ["", "stock side", "pairs", "stock", "Terrace", "ratio", f"{CONFIDENCE:.0%}", "Terrace is"], rows)


def profile(results, cap):
    rows = []
    for program in programs(results, cap):
        for run in succeeded(results["runs"], cap=cap, program=program, phase="profile"):
            if run["samples"]:
                rows.append([WORKLOADS[program].title, SIDES[run["side"]].title(results["versions"]), SHORT[run["level"]],
                             str(sum(run["samples"].values())),
                             *(f"{profiles.share(run['samples'], kind):.0%}" for kind in run["samples"])])
    return Table(f"What tasks do, of all samples, {name_of(cap)}",
                 ["", "", "level", "samples", "serialization", "files", "program"], rows)


def details(results, cap, program):
    shown = sides(results, cap)
    runs = {side: measured_well(results["runs"], program, cap, side) for side in shown}
    rows = []
    for quantity in QUANTITIES:
        if not (quantity.of_cap and not cap):
            rows.append([quantity.label, *(spread([quantity.value(run) for run in runs[side]], quantity.show)
                                           for side in shown)])
    levels = [f"{SIDES[side].title(results['versions'])}, {SHORT[runs[side][0]['level']]}" if runs[side] else
              SIDES[side].title(results["versions"]) for side in shown]
    return Table(f"{WORKLOADS[program].title}, {name_of(cap)}", ["", *levels], rows)


# -- Output ---------------------------------------------------------------------------------------------------------

def text(results):
    return "\n\n".join(f"{table.title}\n\n{aligned(table)}" for table in tables(results))


def write(results, folder):
    """Writes the tables and the plots. Returns the paths."""
    path = folder / "tables.md"
    legend = "Storage levels: " + ", ".join(f"{short} is {level}" for level, short in SHORT.items()) + "."
    facts = "\n".join(f"* {name}: {value}" for name, value in results["facts"].items())
    commands = "\n".join(f"    {program} {' '.join(words)}" for program, words in results["words"].items())
    path.write_text("\n\n".join([*map(markdown, tables(results)), legend, facts, commands]) + "\n")
    written = [path]
    for cap in caps(results) if libraries.offer("matplotlib") else []:
        shown = {}
        for program in programs(results, cap):
            runs = {side: median_run(measured_well(results["runs"], program, cap, side)) for side in sides(results, cap)}
            if any(runs.values()):
                shown[program] = {side: run for side, run in runs.items() if run}
        if shown:
            written += plots.write(results, cap, shown, folder)
    return written
