# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The plots of `terrace bench spark` as SVG, with a panel for each program and a bar for each JVM."""
from ..measure import svg
from .plan import SIDES, WORKLOADS

MIB = 1 << 20
GIB = 1 << 30

COLOURS = {"program": "#cbd5e0", "minor": "#2b6cb0", "major": "#c53030", "transfer": "#dd6b20", "anonymous": "#805ad5",
           "cache": "#cbd5e0", "read": "#2b6cb0", "written": "#dd6b20", "h1": "#2b6cb0", "h2": "#2f855a",
           "disk": "#a0aec0"}
ABBREVIATIONS = {"parallel": "P", "g1": "G1", "newest-parallel": "P′", "newest-g1": "G1′", "newest-zgc": "Z′",
                 "terrace": "T"}


def stopped(run):
    return run["gc"]["minor_seconds"] + run["gc"]["major_seconds"] + run["gc"]["short_seconds"]


def in_h1(run):
    return run["report"]["cached"]["inMemory"] - run["h2_blocks"]


# File name, label of the axis, and the parts of a bar: name, colour, value of a run.
FIGURES = [
    ("wall", "seconds", [
        ("program, serialization, I/O", "program", lambda run: run["wall"] - stopped(run)),
        ("minor collections", "minor", lambda run: run["gc"]["minor_seconds"]),
        ("major collections", "major", lambda run: run["gc"]["major_seconds"] + run["gc"]["short_seconds"]
         - run["gc"]["transfer_seconds"]),
        ("moving to H2", "transfer", lambda run: run["gc"]["transfer_seconds"])]),
    ("cpu", "CPU seconds", [
        ("user", "minor", lambda run: run["user"]),
        ("system", "transfer", lambda run: run["system"])]),
    ("memory", "peak, GiB", [
        ("anonymous memory", "anonymous", lambda run: run["anonymous_peak"] / GIB),
        ("remainder of the control group, page cache", "cache",
         lambda run: max(0, (run["cap_peak"] or 0) - run["anonymous_peak"]) / GIB)]),
    ("traffic", "device, GiB", [
        ("read", "read", lambda run: run["device_read"] / GIB),
        ("written", "written", lambda run: run["device_written"] / GIB)]),
    ("cached", "partitions at the end", [
        ("in memory, H1", "h1", in_h1),
        ("in memory, H2", "h2", lambda run: run["h2_blocks"]),
        ("on disk", "disk", lambda run: max(0, run["report"]["cached"]["onDisk"]))]),
]


def write(results, cap, shown, folder):
    """Draws all figures. `shown` is the median run of each side of each program. Returns the paths."""
    return [grid(results, cap, shown, folder / f"{name}-{cap // MIB}.svg", name, unit, parts)
            for name, unit, parts in FIGURES]


def grid(results, cap, shown, path, name, unit, parts):
    figure, axes, panels = svg.panels(len(shown))
    for axis, (program, runs) in zip(panels, shown.items()):
        bars(axis, runs, parts)
        if name == "wall":
            ranges(axis, results, cap, program, runs)
        axis.set_title(WORKLOADS[program].title, fontsize=8)
    for row in axes:
        row[0].set_ylabel(unit)
    key = ", ".join(f"{ABBREVIATIONS[side]} {SIDES[side].title(results['versions'])}" for side in SIDES
                    if any(side in runs for runs in shown.values()))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(parts), title=key)
    svg.save(figure, path)
    return path


def bars(axis, runs, parts):
    names = [ABBREVIATIONS[side] for side in runs]
    heights = [0.0] * len(runs)
    for label, colour, value in parts:
        values = [value(run) for run in runs.values()]
        axis.bar(names, values, bottom=heights, color=COLOURS[colour], label=label, width=0.65)
        heights = [height + more for height, more in zip(heights, values)]


def ranges(axis, results, cap, program, runs):
    """Draws the range from the fastest to the slowest run on the bar of the median run."""
    for position, (side, run) in enumerate(runs.items()):
        walls = [other["wall"] for other in results["runs"] if not other["failure"] and other["phase"] == run["phase"]
                 and all(other[name] == run[name] for name in ("program", "side", "cap", "level"))]
        axis.errorbar(position, run["wall"], [[run["wall"] - min(walls)], [max(walls) - run["wall"]]], color="#1a202c",
                      linewidth=0.8, capsize=2)
