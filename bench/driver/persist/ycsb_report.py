# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables and figures of YCSB. Different levels are in separate tables, and so are stores with and without a cache."""
import re
import statistics
from itertools import groupby

from ..measure import curves as h2_plot
from ..measure.ratios import bounds_text, ratio_text
from ..measure.tables import Table

FAMILIES = {"STORE": "stores", "CACHE": "Infinispan"}
# The base of comparisons is the first of these stores that has the workload.
BASES = {"STORE": ("TERRACE", "TERRACE_TREE"), "CACHE": ("INFINISPAN_TERRACE",)}
# Parameters that may differ between runs, with their label and numeric value.
SWEEPS = {"threads": ("threads", lambda run: run["threads"]),
          "fields": ("bytes of a record", lambda run: run["fields"][0] * run["fields"][1]),
          "cached": ("share of the records in memory", lambda run: run["cached"])}


def middle(values, decimals=0):
    """Returns the median, and the range if there are several values."""
    text = f"{statistics.median(values):,.{decimals}f}"
    return f"{text} ({min(values):,.{decimals}f}–{max(values):,.{decimals}f})" if len(values) > 1 else text


def groups(runs, *names):
    """Returns groups of runs that agree in all these fields, in the order of their first runs."""
    def key(run):
        return repr([run[name] for name in names])
    order = list(dict.fromkeys(map(key, runs)))
    return [list(found) for _, found in groupby(sorted(runs, key=lambda run: order.index(key(run))), key)]


def conditions(run, without=""):
    """Returns the conditions that this run shares with the other runs of its table."""
    threads, (fields, size) = run["threads"], run["fields"]
    parts = [run["level"], FAMILIES[run["family"]]]
    if without != "threads":
        parts.append(f"{threads} thread{'s' * (threads > 1)}")
    parts.append(f"{run['records']:,} records" + (f" of {fields} × {size} bytes" if without != "fields" else ""))
    if run["family"] == "CACHE" and without != "cached":
        parts.append(f"{100 * run['cached']:g} % of them in memory")
    return ", ".join(parts)


def ratios(base, others):
    """Returns the ratios of the base's throughput to another's, for each round that has both."""
    rounds = {run["round"]: run["perSecond"] for run in base}
    return [rounds[run["round"]] / run["perSecond"] for run in others if run["round"] in rounds]


def base_of(runs):
    for name in BASES[runs[0]["family"]]:
        found = [run for run in runs if run["peer"] == name]
        if found:
            return found
    return []


def tables(runs):
    mine = [run for run in runs if run["part"] == "ycsb"]
    for same in groups(mine, "level", "family", "threads", "fields", "cached", "records"):
        yield from overview(same)
    for name in SWEEPS:
        for same in swept(mine, name):
            yield sweep(same, name)


def overview(runs):
    """Yields tables of stores by workloads."""
    where = conditions(runs[0])
    workloads = sorted({run["workload"] for run in runs})
    header = ["", *workloads]
    yield Table(f"YCSB, {where}: operations/s, median (range) of rounds", header,
                rows(runs, workloads, lambda found, base: middle([run["perSecond"] for run in found])))
    yield Table(f"YCSB, {where}: Terrace's throughput is × (95 % bounds)", header, rows(runs, workloads, compared))
    yield Table(f"YCSB, {where}: p50 / p99 of reads (E: scans); of changes, µs, medians of rounds", header,
                rows(runs, workloads, latencies))
    yield Table(f"YCSB, {where}: CPU time of an operation, µs, median (range) of rounds", header,
                rows(runs, workloads, lambda found, base: middle([run["cpuMicros"] for run in found], 1)))


def rows(runs, workloads, cell):
    by_peer = groups(sorted(runs, key=lambda run: not run["peer"].replace("INFINISPAN_", "").startswith("TERRACE")), "peer")
    found = []
    for peer in by_peer:
        row = [peer[0]["title"]]
        for workload in workloads:
            mine = [run for run in peer if run["workload"] == workload]
            base = base_of([run for run in runs if run["workload"] == workload])
            row.append(cell(mine, base) if mine else "–")
        found.append(row)
    return found


def compared(found, base):
    if not base or found[0]["peer"] == base[0]["peer"]:
        return "–"
    values = ratios(base, found)
    bounds = bounds_text(values)
    return ratio_text(values) + (f" ({bounds})" if bounds != "–" else "")


def latencies(found, base):
    def both(what):
        if f"{what}P50" not in found[0]:
            return None
        return " / ".join(f"{statistics.median(run[what + part] for run in found):,.1f}" for part in ("P50", "P99"))
    return "; ".join(text for text in map(both, ("read", "scan", "change")) if text)


def swept(runs, name):
    """Returns groups of runs that differ only in their store and in this parameter, which has more than one value."""
    others = [other for other in SWEEPS if other != name]
    return [same for same in groups(runs, "level", "family", "workload", "records", *others)
            if len({repr(run[name]) for run in same}) > 1]


def sweep(runs, name):
    label, number = SWEEPS[name]
    values = sorted({number(run) for run in runs})
    found = []
    for peer in groups(runs, "peer"):
        by_value = [[run["perSecond"] for run in peer if number(run) == value] for value in values]
        found.append([peer[0]["title"], *(middle(one) if one else "–" for one in by_value)])
    return Table(f"YCSB {runs[0]['workload']}, {conditions(runs[0], name)}: operations/s by {label}, median (range) of rounds",
                 ["", *(f"{value:,g}" for value in values)], found)


def figures(runs, folder):
    """Draws each sweep. Returns the files."""
    mine = [run for run in runs if run["part"] == "ycsb"]
    files = []
    for name, (label, number) in SWEEPS.items():
        for same in swept(mine, name):
            series = {peer[0]["title"]: [(number(by_value[0]), statistics.median(run["perSecond"] for run in by_value))
                                         for by_value in groups(sorted(peer, key=number), name)]
                      for peer in groups(same, "peer")}
            title = f"ycsb {name} {same[0]['workload']} {conditions(same[0], name)}"
            files.append(folder / f"{re.sub('[^a-z0-9]+', '-', title.lower().replace('%', 'percent')).strip('-')}.svg")
            h2_plot.lines(files[-1], label, f"operations/s, {same[0]['workload']}", series)
    return files
