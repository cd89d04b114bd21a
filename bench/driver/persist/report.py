# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables of `terrace bench persist`: medians of rounds with their range, and ratios within the same round."""
import statistics

from ..measure.ratios import bounds_text, ratio_text
from ..measure.tables import Table, aligned, markdown
from . import bank, ycsb_report as ycsb
from .ycsb_report import middle

NAMES = {"TERRACE": "Terrace", "ROCKSDB": "RocksDB", "LMDB": "LMDB", "DEVICE": "device: pwrite, fdatasync"}
PATTERNS = ("sequential read", "random read", "sequential write", "random write")
# The program's names for blocks that are objects, and for blocks that are parts of one array.
BLOCKS_OF = ("", " of an array")
SUBJECTS = ("nothing", "java.util", "persistent", "one block")
PAPER_RECOVERY = "The paper's heap of 10 million objects takes 8.5 s until it serves requests, on other hardware."
PAPER_SPACE = "The paper has 21.2 %."


def tables(results):
    return [table for make in (collections, commits, blocks, recovery, space, of_bank, ycsb.tables)
            for table in make(results["runs"])]


def of(runs, part, **wanted):
    return [run for run in runs if run["part"] == part and all(run[name] == value for name, value in wanted.items())]


def collections(runs):
    mine = of(runs, "collections")
    rows = []
    for kind in dict.fromkeys(run["type"] for run in mine):
        for call in ("get", "put", "iterate"):
            nanos = {run["subject"]: run["nanos"] for run in mine if run["type"] == kind and run["call"] == call}
            if "java.util" not in nanos:
                continue
            base = statistics.median(nanos["java.util"])
            rows.append([f"{kind}, {call}", *(middle(nanos[name], 1) if name in nanos else "–" for name in SUBJECTS),
                         *(f"{statistics.median(nanos[name]) / base:.1f}" if name in nanos else "–" for name in SUBJECTS[2:])])
    if rows:
        yield Table("Collections of 100,000 numbers, PROCESS level: ns for each call, median (range) of iterations",
                    ["", *SUBJECTS, "ratio", "ratio, one block"], rows)


def commits(runs):
    for level in dict.fromkeys(run["level"] for run in of(runs, "commits")):
        for threads in dict.fromkeys(run["threads"] for run in of(runs, "commits", level=level)):
            rows = []
            for store in dict.fromkeys(sorted((run["store"] for run in of(runs, "commits", level=level)), key=list(NAMES).index)):
                found = of(runs, "commits", level=level, threads=threads, store=store)
                ratios = pairs(runs, level, threads, store)
                rows.append([NAMES[store], middle([run["perSecond"] for run in found]), middle([run["p50"] for run in found], 1),
                             middle([run["p99"] for run in found], 1),
                             *([ratio_text(ratios), bounds_text(ratios)] if ratios else ["–", "–"])])
            yield Table(f"Commits, {level}, {threads} thread{'s' * (threads > 1)}: values of 100 bytes, median (range) of rounds",
                        ["", "commits/s", "p50, µs", "p99, µs", "Terrace's throughput is ×", "95 % bounds"], rows)


def pairs(runs, level, threads, store):
    """Returns the ratios of Terrace's throughput to another store's, for each round that has both."""
    rounds = {}
    for run in of(runs, "commits", level=level, threads=threads):
        rounds.setdefault(run["round"], {})[run["store"]] = run["perSecond"]
    return [] if store == "TERRACE" else [found["TERRACE"] / found[store] for found in rounds.values()
                                          if "TERRACE" in found and store in found]


def blocks(runs):
    found = {side: {run["round"]: run["nanos"] for run in of(runs, "blocks", side=side)} for side in ("C", "persistent")}
    both = [number for number in found["C"] if number in found["persistent"]]
    rows = []
    for pattern in PATTERNS if both else ():
        row = [pattern, middle([found["C"][number][pattern] for number in both], 1)]
        for of_what in BLOCKS_OF:
            nanos = [found["persistent"][number][pattern + of_what] for number in both]
            ratios = [mine / found["C"][number][pattern] for number, mine in zip(both, nanos)]
            row += [middle(nanos, 1), ratio_text(ratios), bounds_text(ratios)]
        rows.append(row)
    if rows:
        yield Table("Copies of blocks of 256 bytes: ns for each, median (range) of rounds",
                    ["", "C", "objects", "ratio", "95 % bounds", "of one array", "ratio", "95 % bounds"], rows)


def recovery(runs):
    rows = []
    for opening in ("killed, with collection", "killed, without", "closed"):
        found = of(runs, "recovery", opening=opening)
        if found:
            rows.append([opening, *(middle([run[name] for run in found], 2) for name in ("opened", "firstRequest", "nominal")),
                         middle([run["perSecond"] for run in found]), f"{found[0]['entries']:,}"])
    if rows:
        yield Table("Opening: seconds since the new JVM's start, median (range) of rounds. " + PAPER_RECOVERY,
                    ["", "heap open", "first request served", "90 % of nominal throughput", "requests/s, nominal", "entries"],
                    rows)


def space(runs):
    for run in of(runs, "space"):
        yield Table("Space beyond the fields' own bytes, records of 10 × 100 bytes in a hash map. " + PAPER_SPACE,
                    ["", "overhead"], [[name, f"{100 * value:.1f} %"] for name, value in run.items() if name != "part"])


def of_bank(runs):
    return bank.tables(runs, middle)


def text(found):
    return "\n\n".join(f"{table.title}\n\n{aligned(table)}" for table in found)


def page(results, found):
    facts = [f"* {name}: {value}" for name, value in {**results["facts"], "Java": results["java"]}.items()]
    facts += [f"* Load before and after {part}: {before:.1f}, {after:.1f}" for part, (before, after) in results["load"].items()]
    return "\n".join([f"# The persistent heap, {results['started']}", "", *facts, ""]) + "\n" \
        + "\n\n".join(map(markdown, found)) + "\n"
