# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The plots of `terrace bench gc` as SVG: ratios with their bounds, pauses, and attempts to steal."""
from ..measure import svg

COLOURS = ("#2b6cb0", "#dd6b20", "#2f855a", "#805ad5", "#c53030")
TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10)
PERCENTILES = ("p50", "p99", "longest")


def write(name, folder, points, bars, steals):
    """Draws the plots for which there is data. Returns the paths."""
    written = []
    if points:
        written.append(ratios(points, folder / f"ratios-{name}.svg"))
    if bars:
        written.append(pauses(bars, folder / f"pauses-{name}.svg"))
    if steals:
        written.append(attempts(steals, folder / f"steals-{name}.svg"))
    return written


def ratios(points, path):
    """Draws a panel for each comparison with a row for each program. Each quantity has a mark with its bounds."""
    programs = list(dict.fromkeys(program for of in points.values() for program in of))
    size = 1.2 + 3.4 * len(points), 1.2 + 0.36 * len(programs)
    figure, axes = svg.pyplot(8).subplots(1, len(points), figsize=size, sharey=True, squeeze=False,
                                          layout="constrained")
    for axis, (title, of) in zip(axes[0], points.items()):
        quantities = list(dict.fromkeys(name for found in of.values() for name in found))
        for index, (name, colour) in enumerate(zip(quantities, COLOURS)):
            shift = 0.2 * (index - (len(quantities) - 1) / 2)
            for program, found in of.items():
                if name in found:
                    mark(axis, programs.index(program) + shift, *found[name], colour)
            axis.plot([], [], "o", markersize=3, color=colour, label=name.split(",")[0])
        axis.axvline(1, color="#a0aec0", linewidth=0.8, zorder=0)
        axis.set(title=title, xlabel="ratio; left of 1 is less", xscale="log")
        axis.set_xticks(TICKS, map(str, TICKS))
        axis.minorticks_off()
        axis.set_xlim(reach(of))
    axes[0][0].set_yticks(range(len(programs)), programs)
    axes[0][0].invert_yaxis()
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    svg.save(figure, path)
    return path


def reach(of):
    """Returns limits that include all ratios. Bounds of few rounds may exceed the plot."""
    ratios = [ratio for found in of.values() for ratio, _ in found.values()]
    return min([0.8, *(0.9 * ratio for ratio in ratios)]), max([1.25, *(1.1 * ratio for ratio in ratios)])


def mark(axis, position, ratio, bounds, colour):
    if bounds:
        axis.plot(bounds, [position] * 2, color=colour, linewidth=1)
    axis.plot([ratio], [position], "o", markersize=3, color=colour)


def pauses(bars, path):
    return steps(bars, PERCENTILES, "pause, ms", path)


def attempts(bars, path):
    # Failed attempts are part of all attempts, so they are the lower step.
    return steps({program: {side: (failed, total) for side, (total, failed) in sides.items()}
                  for program, sides in bars.items()}, ("failed", "all"), "attempts to steal", path)


def steps(bars, names, label, path):
    """Draws a panel for each program with a bar for each side. A bar has a step for each name, the lowest first."""
    figure, axes, panels = svg.panels(len(bars))
    for axis, (program, sides) in zip(panels, bars.items()):
        # The highest step is drawn first, so that lower steps cover it.
        for index in reversed(range(len(names))):
            axis.bar(list(sides), [values[index] for values in sides.values()], width=0.65, label=names[index],
                     color=COLOURS[0], alpha=1 - 0.35 * index)
        axis.set_title(program, fontsize=8)
    for row in axes:
        row[0].set_ylabel(label)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(names))
    svg.save(figure, path)
    return path
