# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables of `terrace bench giraph`, as text and as Markdown, and the underlying numbers."""
import statistics

from ..measure import agreement
from ..measure.ratios import CONFIDENCE, bounds_text, ratio_text
from ..measure.tables import Table, aligned, count, decimal, markdown, megabytes, spread
from .plan import SIDES, STOCK, WORKLOADS

# Significant digits to compare, because sums depend on the order in which messages arrive.
DIGITS = 10
QUANTITIES = (
    ("seconds until all is written", lambda run: run["report"]["seconds"], decimal),
    ("CPU time, s", lambda run: run["user"] + run["system"], decimal),
    ("minor collections", lambda run: run["gc"]["minor_count"], count),
    ("  seconds", lambda run: run["gc"]["minor_seconds"], decimal),
    ("major collections", lambda run: run["gc"]["major_count"], count),
    ("  seconds", lambda run: run["gc"]["major_seconds"], decimal),
    ("pauses of G1, s", lambda run: run["gc"]["short_seconds"], decimal),
    ("moved to H2, MB", lambda run: run["gc"]["moved_bytes"], megabytes),
    ("H2, peak MB", lambda run: run["gc"]["h2_peak_bytes"], megabytes),
    ("anonymous memory, peak MB", lambda run: run["anonymous_peak"], megabytes),
    ("read from the device, MB", lambda run: run["device_read"], megabytes),
    ("written to the device, MB", lambda run: run["device_written"], megabytes),
)


# -- Selection of runs ----------------------------------------------------------------------------------------------

def select(runs, **what):
    return [run for run in runs if all(run[name] == value for name, value in what.items())]


def seconds(run):
    """Returns the time without the shutdown of Giraph's servers, which is the same for all programs."""
    return run["report"]["seconds"]


def fastest(runs):
    return min((run for run in runs if not run["failure"]), key=seconds, default=None)


def programs(results):
    there = {run["program"] for run in results["runs"]}
    return [program for program in WORKLOADS if program in there]


def heaps(results, program):
    return list(dict.fromkeys(run["heap"] for run in select(results["runs"], program=program)))


def sides(results):
    there = {run["side"] for run in results["runs"]}
    return [side for side in SIDES if side in there]


def measured(runs, program, heap, side):
    """Returns the runs that represent a side: the repeats, or the first pass if there are no repeats."""
    mine = select(runs, program=program, heap=heap, side=side)
    return select(mine, phase="repeat") or mine


def succeeded(runs, program, heap, side):
    return [run for run in measured(runs, program, heap, side) if not run["failure"]]


def best_stock(runs, program, heap):
    """Returns the stock side with the smallest median, or None."""
    times = {side: [seconds(run) for run in succeeded(runs, program, heap, side)] for side in STOCK}
    return min((side for side in STOCK if times[side]), key=lambda side: statistics.median(times[side]), default=None)


def ratios(runs, program, heap):
    """Returns the ratios of Terrace to the fastest stock side, within each round."""
    best = best_stock(runs, program, heap)
    stock = {run["repeat"]: run for run in succeeded(runs, program, heap, best)} if best else {}
    return [seconds(run) / seconds(stock[run["repeat"]]) for run in succeeded(runs, program, heap, "terrace")
            if run["repeat"] in stock]


def differences(runs, program):
    """Returns the differences between Terrace and stock. All heap sizes must compute the same."""
    found = [[run["report"]["result"] for run in select(runs, program=program)
              if not run["failure"] and (run["side"] == "terrace") == terrace] for terrace in (False, True)]
    return agreement.compare(*found, at_most=DIGITS)[1] if all(found) else []


# -- Tables ---------------------------------------------------------------------------------------------------------

def tables(results):
    return [overview(results), *(details(results, program, heap) for program in programs(results)
                                 for heap in heaps(results, program))]


def overview(results):
    shown = sides(results)
    rows = []
    for program in programs(results):
        for heap in heaps(results, program):
            found = ratios(results["runs"], program, heap)
            rows.append([WORKLOADS[program].title, f"{heap}m",
                         *(timing(measured(results["runs"], program, heap, side)) for side in shown),
                         ratio_text(found), bounds_text(found), equal(results, program)])
    return Table("Seconds until the result is written; out of core, /N: partitions of 16 in memory",
                 ["", "-Xmx", *(SIDES[side].title() for side in shown), "ratio", f"{CONFIDENCE:.0%}", "equal"], rows)


def timing(runs):
    good = [run for run in runs if not run["failure"]]
    if good:
        setting = f" /{good[0]['setting']}" if good[0]["setting"] else ""
        return spread(list(map(seconds, good)), decimal) + setting
    return brief(runs[0]["failure"]) if runs else "–"


def brief(failure):
    for known, short in (("out of memory", "out of memory"), ("ended after", "time out"), ("killed", "killed")):
        if known in failure:
            return short
    return "failed"


def equal(results, program):
    if not any(run["side"] in STOCK and not run["failure"] for run in select(results["runs"], program=program)):
        return "–"
    return "NO" if differences(results["runs"], program) else "yes"


def details(results, program, heap):
    shown = sides(results)
    runs = {side: succeeded(results["runs"], program, heap, side) for side in shown}
    rows = [[label, *(spread([value(run) for run in runs[side]], show) for side in shown)]
            for label, value, show in QUANTITIES]
    return Table(f"{WORKLOADS[program].title}, -Xmx{heap}m", ["", *(SIDES[side].title() for side in shown)], rows)


# -- Output ---------------------------------------------------------------------------------------------------------

def text(results):
    return "\n\n".join(f"{table.title}\n\n{aligned(table)}" for table in tables(results))


def write(results, folder):
    path = folder / "tables.md"
    facts = "\n".join(f"* {name}: {value}" for name, value in results["facts"].items())
    path.write_text("\n\n".join([*map(markdown, tables(results)), facts]) + "\n")
    return path
