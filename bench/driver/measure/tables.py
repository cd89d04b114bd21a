"""Tables of texts, for a terminal and as Markdown."""
from dataclasses import dataclass


@dataclass
class Table:
    title: str
    header: list
    rows: list           # of lists of text


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
