# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables of `terrace bench gc`, as text and as Markdown, and the underlying numbers."""
import statistics
from dataclasses import dataclass

from terrace.common import libraries
from ..measure import agreement
from ..measure.ratios import CONFIDENCE, bounds_text, confidence, ratio_text, verdict
from ..measure.tables import Table, aligned, count, decimal, markdown, spread
from . import plots
from .plan import PROGRAMS, Setting

SETTING = tuple(Setting.__dataclass_fields__)
ALL = "all programs"
DECIMALS = 3


@dataclass(frozen=True)
class Quantity:
    label: str
    value: object        # of a run
    show: object = decimal


def milliseconds(seconds):
    return decimal(1000 * seconds)


def share_of(counts, part, whole):
    return 100 * counts.get(part, 0) / max(1, counts.get(whole, 0))


TIME = Quantity("time, s", lambda run: sum(run["report"]["seconds"]))
CPU = Quantity("CPU time, s", lambda run: run["report"]["cpuSeconds"])
GC = Quantity("GC pauses, s", lambda run: run["gc"]["seconds"])
QUANTITIES = [
    TIME, CPU, GC,
    Quantity("concurrent GC, s", lambda run: run["gc"]["beside_seconds"]),
    Quantity("collections", lambda run: run["gc"]["collections"], count),
    Quantity("pause p50, ms", lambda run: run["gc"]["p50"], milliseconds),
    Quantity("pause p99, ms", lambda run: run["gc"]["p99"], milliseconds),
    Quantity("longest pause, ms", lambda run: run["gc"]["max"], milliseconds),
    Quantity("the whole run, s", lambda run: run["wall"]),
    Quantity("  CPU time, s", lambda run: run["user"] + run["system"]),
]
TASKS = [
    Quantity("steal attempts", lambda run: run["tasks"].get("attempts", 0), count),
    Quantity("  failed", lambda run: run["tasks"].get("failed", 0), count),
    Quantity("  failed, %", lambda run: share_of(run["tasks"], "failed", "attempts")),
    Quantity("queue reads", lambda run: run["tasks"].get("reads", 0), count),
    Quantity("offers of termination", lambda run: run["tasks"].get("offers", 0), count),
    Quantity("  in termination, all workers, s", lambda run: run["tasks"].get("termination", 0)),
    Quantity("subtasks", lambda run: run["tasks"].get("subtasks", 0), count),
    Quantity("  of the busiest worker of each task, %", lambda run: share_of(run["tasks"], "most_subtasks", "subtasks")),
    Quantity("migrations of workers", lambda run: run["tasks"].get("migrations", 0), count),
    Quantity("  waiting for a processor, all workers, s", lambda run: run["tasks"].get("waited", 0)),
]


# -- Selection of runs ----------------------------------------------------------------------------------------------

def settings(results):
    return list(dict.fromkeys(setting_of(run) for run in results["runs"]))


def setting_of(run):
    """Returns the setting of a run. Older runs lack newer fields of a setting."""
    return Setting(**{name: run[name] for name in SETTING if name in run})


def programs(results, setting):
    there = {run["program"] for run in results["runs"] if setting_of(run) == setting}
    return [program for program in PROGRAMS if program in there]


def select(results, setting, program, side):
    return [run for run in results["runs"]
            if (setting_of(run), run["program"], run["side"]) == (setting, program, side)]


def by_round(results, setting, program, side, value):
    """Returns {round: mean over the VMs that ran simultaneously}, without rounds in which one failed."""
    rounds = {}
    for run in select(results, setting, program, side):
        rounds.setdefault(run["round"], []).append(run)
    return {number: statistics.fmean(map(value, runs)) for number, runs in rounds.items()
            if not any(run["failure"] for run in runs)}


def ratios(results, setting, program, side, value):
    """Returns {round: ratio of side to base} if both values are positive. The base is the first side."""
    base = by_round(results, setting, program, base_of(results), value)
    mine = by_round(results, setting, program, side, value)
    return {number: mine[number] / base[number] for number in sorted(base.keys() & mine.keys())
            if base[number] > 0 and mine[number] > 0}


def base_of(results):
    return next(iter(results["sides"]))


def others(results):
    return list(results["sides"])[1:]


def of_the_set(each):
    """Returns the geometric mean over the programs for each round that all programs have."""
    complete = set.intersection(*(set(rounds) for rounds in each)) if each else set()
    return [statistics.geometric_mean(rounds[number] for rounds in each) for number in sorted(complete)]


# -- Tables ---------------------------------------------------------------------------------------------------------

def tables(results):
    made = []
    for setting in settings(results):
        made.append(overview(results, setting))
        made += [comparison(results, setting, side) for side in others(results)]
        made += [details(results, setting, program) for program in programs(results, setting)]
    return [table for table in made if table.rows]


def overview(results, setting):
    rows = []
    for program in programs(results, setting):
        heap = f"-Xmx{setting.heap(program, results['quick'])}m"
        cells = [timing(results, setting, program, side, heap) for side in results["sides"]]
        rows.append([program, heap.removeprefix("-Xmx"), *cells, equal(results, setting, program)])
    return Table(f"{setting.title()}: time of the measured iterations, s", ["", "-Xmx", *results["sides"], "equal"], rows)


def timing(results, setting, program, side, heap):
    """Returns median and range, failures, and the -Xmx of a side with its own heap size."""
    good = by_round(results, setting, program, side, TIME.value).values()
    runs = select(results, setting, program, side)
    failed = [run for run in runs if run["failure"]]
    own = {heap_of(run) for run in runs} - {heap}
    return "; ".join([*([spread(list(good), decimal)] if good else []),
                      *([f"{len(failed)} × {failed[0]['failure']}"] if failed else []), *sorted(own)]) or "–"


def heap_of(run):
    """Returns the last -Xmx, which takes effect."""
    return [word for word in run["command"] if word.startswith("-Xmx")][-1]


def equal(results, setting, program):
    if any(differences(results, setting, program, side) for side in others(results)):
        return "NO"
    return "yes" if others(results) else "–"


def differences(results, setting, program, side):
    """Returns the differences between a side's results and those of the base, one line each."""
    mine, base = ([{"result": run["report"]["result"]} for run in select(results, setting, program, name)
                   if not run["failure"]] for name in (side, base_of(results)))
    return agreement.compare(base, mine)[1] if mine and base else []


def comparison(results, setting, side):
    """Returns the table of a side relative to the base, for each program and for all."""
    rows, whole = [], {quantity.label: [] for quantity in (TIME, CPU, GC)}
    for program in programs(results, setting):
        found = {quantity.label: ratios(results, setting, program, side, quantity.value) for quantity in (TIME, CPU, GC)}
        if found[TIME.label]:
            rows.append(ratio_row(program, [list(of.values()) for of in found.values()]))
            for label, of in found.items():
                whole[label].append(of)
    if len(rows) > 1:
        rows.append(ratio_row(ALL, [of_the_set([of for of in each if of]) for each in whole.values()]))
    percent = f"{CONFIDENCE:.0%}"
    return Table(f"{setting.title()}: {side} over {base_of(results)}",
                 ["", "pairs", "time", percent, "CPU time", percent, "GC pauses", percent,
                  f"by time {side} is", "by pauses"], rows)


def ratio_row(name, columns):
    cells = [text for values in columns for text in (ratio_text(values, DECIMALS), bounds_text(values, DECIMALS))]
    time, _, pauses = columns
    return [name, str(len(time)), *cells, verdict(confidence(time)), verdict(confidence(pauses))]


def details(results, setting, program):
    good = {side: [run for run in select(results, setting, program, side) if not run["failure"]]
            for side in results["sides"]}
    runs = [run for of in good.values() for run in of]
    shown = QUANTITIES + latencies(runs) + (TASKS if any(run["tasks"] for run in runs) else [])
    rows = [[quantity.label, *(spread([quantity.value(run) for run in of], quantity.show) for of in good.values())]
            for quantity in shown if runs]
    return Table(f"{program}, {setting.title()}", ["", *good], rows)


def latencies(runs):
    """Returns percentiles of the operations that the program measures individually."""
    kinds = dict.fromkeys(kind for run in runs for kind in run["report"]["latencies"])
    return [Quantity(f"{kind} {name}, ms", lambda run, kind=kind, key=key: run["report"]["latencies"][kind][key])
            for kind in kinds for key, name in (("p50", "p50"), ("p99", "p99"), ("p999", "p99.9"), ("max", "longest"))]


# -- Output ---------------------------------------------------------------------------------------------------------

def text(results):
    return "\n\n".join(f"{table.title}\n\n{aligned(table)}" for table in tables(results))


def write(results, folder):
    """Writes the tables and the plots. Returns the paths."""
    path = folder / "tables.md"
    sides = "\n".join(f"* {name}: {', '.join([side['version'], *side['flags']])}"
                      for name, side in results["sides"].items())
    facts = "\n".join(f"* {name}: {value}" for name, value in results["facts"].items())
    path.write_text("\n\n".join([*map(markdown, tables(results)), sides, facts]) + "\n")
    written = [path]
    for setting in settings(results) if libraries.offer("matplotlib") else []:
        written += plots.write(setting.short(), folder, ratio_points(results, setting), pause_bars(results, setting),
                               steal_bars(results, setting))
    return written


def ratio_points(results, setting):
    """Returns {"side over base": {program: {quantity: (ratio, bounds or None)}}}."""
    points = {}
    for side in others(results):
        for program in programs(results, setting):
            for quantity in (TIME, CPU, GC):
                values = list(ratios(results, setting, program, side, quantity.value).values())
                if values:
                    title = f"{side} over {base_of(results)}"
                    points.setdefault(title, {}).setdefault(program, {})[quantity.label] = (
                        statistics.geometric_mean(values), confidence(values))
    return points


def steal_bars(results, setting):
    """Returns {program: {side: (attempts to steal, failed attempts)}} as medians, for runs that counted them."""
    bars = {}
    for program in programs(results, setting):
        for side in results["sides"]:
            counts = [run["tasks"] for run in select(results, setting, program, side)
                      if not run["failure"] and "attempts" in run["tasks"]]
            if counts:
                bars.setdefault(program, {})[side] = tuple(statistics.median(of[name] for of in counts)
                                                           for name in ("attempts", "failed"))
    return bars


def pause_bars(results, setting):
    """Returns {program: {side: (p50, p99, longest) in milliseconds}} as medians of the rounds."""
    bars = {}
    for program in programs(results, setting):
        for side in results["sides"]:
            of = [by_round(results, setting, program, side, lambda run, name=name: 1000 * run["gc"][name]).values()
                  for name in ("p50", "p99", "max")]
            if all(of) and any(map(any, of)):
                bars.setdefault(program, {})[side] = tuple(map(statistics.median, of))
    return bars
