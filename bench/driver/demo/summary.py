# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The table of a demo, as text and for the page. It has a row for each quantity and two columns for each program.

A cell is the median of a side's runs, with their range if they differ.
"""
import statistics
from dataclasses import dataclass

from ..measure.quantities import QUANTITIES
from ..measure.tables import decimal, megabytes, spread

SIDES = ("stock", "terrace")
# Length of the longest bar in characters.
BAR = 50
NAMES = {"stock": "stock", "terrace": "Terrace", "pagerank": "PageRank", "logreg": "logistic regression"}


@dataclass
class Cell:
    stock: str
    terrace: str
    ratio: str = ""


@dataclass
class Row:
    label: str
    cells: dict          # program to Cell


def rows(results):
    """Returns the rows for `results`, which the demo stores (see demo.py)."""
    table = []
    for quantity in QUANTITIES:
        if quantity.of_cap and not results["cap_bytes"]:
            continue
        cells = {}
        for program in results["programs"]:
            sides = {side: [quantity.value(run) for run in runs(results, program, side)] for side in SIDES}
            texts = {side: spread(values, quantity.show) for side, values in sides.items()}
            cells[program] = Cell(texts["stock"], texts["terrace"],
                                  quotient(sides) if quantity.ratio and results["cap_bytes"] else "")
        table.append(Row(quantity.label, cells))
    table.append(Row("results equal", {
        program: Cell("", verdict(results["programs"][program])) for program in results["programs"]}))
    return table


def verdict(program):
    if program["differences"]:
        return "NO"
    return "yes, to the last bit" if program["digits"] >= 17 else f"yes, to {program['digits']} digits"


def runs(results, program, side):
    return [run for run in results["runs"] if run["program"] == program and run["side"] == side and not run["failure"]]


def median_run(results, program, side):
    """Returns the run with the median wall time, which is shown in detail."""
    ordered = sorted(runs(results, program, side), key=lambda run: run["wall"])
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def quotient(sides):
    if not all(sides.values()) or not statistics.median(sides["stock"]):
        return ""
    return f"{statistics.median(sides['terrace']) / statistics.median(sides['stock']):.2f}"


def text(results):
    """Returns the text for a terminal: for each program the table, bars of the wall times, and a summary in words."""
    return "\n\n".join("\n".join(filter(None, (table(results, [program]), bars(results, program), in_words(results, program))))
                       for program in results["programs"])


def bars(results, program):
    """Returns the median wall times as bars."""
    walls = {side: median(results, program, side, lambda run: run["wall"]) for side in SIDES}
    if None in walls.values():
        return ""
    longest = max(walls.values())
    width = max(len(NAMES[side]) for side in SIDES)
    return "\n".join(f"  {NAMES[side]:{width}}  {'█' * max(1, round(BAR * wall / longest))} {decimal(wall)} s" for side, wall in walls.items())


def in_words(results, program):
    """Returns a sentence with Terrace's time, the partitions that each side kept in memory, and whether the results are equal."""
    walls = {side: median(results, program, side, lambda run: run["wall"]) for side in SIDES}
    if None in walls.values():
        return f"{NAMES[program]}: no verdict, because a side has no successful run."
    kept = {side: round(median(results, program, side, lambda run: run["report"]["cached"]["inMemory"])) for side in SIDES}
    partitions = round(median(results, program, "terrace", lambda run: run["report"]["cached"]["partitions"]))
    written = megabytes(median(results, program, "stock", lambda run: run["report"]["spilled"]["cachedBytes"]))
    change = round(100 * (walls["terrace"] / walls["stock"] - 1))
    time = f"{abs(change)} % {'less' if change < 0 else 'more'} time than stock" if change else "as long as stock"
    beside = "" if results["cap_bytes"] else " (without a memory limit, times do not compare)"
    equal = "The results differ." if results["programs"][program]["differences"] else "The results are equal."
    return (f"{NAMES[program]}: Terrace took {time}{beside}. It kept {kept['terrace']} of {partitions} cached partitions in memory, "
            f"stock {kept['stock']} and serialized {written} MB to disk. {equal}")


def median(results, program, side, value):
    """Returns the median over a side's runs, or None if no run succeeded."""
    values = [value(run) for run in runs(results, program, side)]
    return statistics.median(values) if values else None


def table(results, programs):
    """Returns the table of some programs for a terminal."""
    with_ratio = bool(results["cap_bytes"])
    lines = [[""], [""]]
    for program in programs:
        lines[0] += [NAMES[program], ""] + ([""] if with_ratio else [])
        lines[1] += ["stock", "Terrace"] + (["ratio"] if with_ratio else [])
    for row in rows(results):
        line = [row.label]
        for program in programs:
            cell = row.cells[program]
            line += [cell.stock, cell.terrace] + ([cell.ratio] if with_ratio else [])
        lines.append(line)
    widths = [max(len(line[i]) for line in lines[1:]) for i in range(len(lines[1]))]
    shown = []
    for line in lines:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        shown.append("  ".join(cells).rstrip())
    group = (len(widths) - 1) // len(programs)
    heading = " " * widths[0]
    for i, program in enumerate(programs):
        width = sum(widths[1 + i * group:1 + (i + 1) * group]) + 2 * (group - 1)
        heading += "  " + NAMES[program].center(width)
    return "\n".join([heading.rstrip(), *shown[1:]])
