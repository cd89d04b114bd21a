# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tables for a terminal and in Markdown, and the formatting of numbers."""
import statistics
from dataclasses import dataclass


@dataclass
class Table:
    title: str
    header: list
    rows: list           # lists of text


def aligned(table):
    lines = [table.header, *table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.header))]
    return "\n".join("  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in
                                                              zip(line[1:], widths[1:])]).rstrip() for line in lines)


def markdown(table):
    def row(cells):
        return "| " + " | ".join(cell.strip() for cell in cells) + " |"
    rule = ["---"] + ["---:"] * (len(table.header) - 1)
    return "\n".join([f"**{table.title}**", "", row(table.header), row(rule), *map(row, table.rows)])


def decimal(value):
    """Formats a number with three significant digits, which is more than runs of a machine reproduce."""
    return "0" if value == 0 else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def count(value):
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def megabytes(value):
    value /= 1 << 20
    return "0" if value == 0 else "< 1" if value < 1 else f"{value:.0f}"


def spread(values, show):
    """Returns the median, and the range if it differs."""
    values = [value for value in values if value is not None]
    if not values:
        return "–"
    middle, low, high = show(statistics.median(values)), show(min(values)), show(max(values))
    return middle if low == high else f"{middle} ({low}–{high})"
