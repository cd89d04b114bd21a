"""Plots as SVG, in one style. The same plot gives the same file."""
from . import libraries


def pyplot(font_size):
    libraries.require("matplotlib")
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "terrace", "svg.fonttype": "none", "font.size": font_size,
                                "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})
    from matplotlib import pyplot as found
    return found


def save(figure, path):
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
