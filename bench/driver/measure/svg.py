# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Draws plots as SVG in one style. The same plot gives the same file."""
import math

from terrace.common import libraries


def pyplot(font_size):
    libraries.require("matplotlib")
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "terrace", "svg.fonttype": "none", "font.size": font_size,
                                "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})
    from matplotlib import pyplot as found
    return found


def panels(count, columns=5):
    """Creates a grid of small plots. Returns (figure, rows of axes, `count` axes)."""
    rows, columns = math.ceil(count / columns), min(columns, count)
    figure, axes = pyplot(8).subplots(rows, columns, figsize=(2.1 * columns, 1.9 * rows + 0.4), squeeze=False,
                                      layout="constrained")
    every = [axis for row in axes for axis in row]
    for axis in every[count:]:
        axis.set_axis_off()
    return figure, axes, every[:count]


def save(figure, path):
    import matplotlib.pyplot
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    matplotlib.pyplot.close(figure)
