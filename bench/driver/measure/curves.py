# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Draws lines and cumulative distributions as SVG."""
from . import svg

MIB = 1 << 20


def figure(columns=1):
    return svg.pyplot(9).subplots(1, columns, figsize=(4.6 * columns, 3.2), sharey=True, squeeze=False,
                                  layout="constrained")


def lines(path, x, y, series):
    """Draws a line with marks for each name in `series`. Each value is a list of (x, y)."""
    plotted, axes = figure()
    for name, points in series.items():
        axes[0][0].plot(*zip(*points), marker="o", markersize=3, label=name)
    axes[0][0].set(xlabel=x, ylabel=y, xlim=0, ylim=0)
    axes[0][0].legend()
    svg.save(plotted, path)


def cumulative(path, space):
    """Draws the cumulative distribution of regions by their percentage of live objects, with a panel for each region size."""
    regions = list(dict.fromkeys(one["region"] for one in space))
    plotted, axes = figure(len(regions))
    for axis, region in zip(axes[0], regions):
        for one in space:
            if one["region"] == region:
                shares = sorted(100 * alive / objects for objects, alive in one["regions"])
                heights = [100 * (index + 1) / len(shares) for index in range(len(shares))]
                axis.step([0, *shares, 100], [0, *heights, 100], where="post",
                          label=f"groups of {one['group'] / MIB:g} MB")
        axis.set(title=f"regions of {region // MIB} MB", xlabel="live objects in a region, %", xlim=(0, 100),
                 ylim=(0, 101))
    axes[0][0].set(ylabel="regions, %")
    axes[0][-1].legend(loc="lower right")
    svg.save(plotted, path)
