# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Statistics of ratios between alternating runs: geometric mean, confidence bounds, and whether they differ from noise."""
import math
import statistics

from terrace.common import libraries

CONFIDENCE = 0.95


def confidence(values):
    """Returns bounds of the geometric mean of ratios by Student's t of their logarithms. None without scipy, or for one ratio."""
    if len(values) < 2 or not libraries.offer("scipy"):
        return None
    from scipy import stats
    logs = [math.log(value) for value in values]
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    reach = stats.t.ppf((1 + CONFIDENCE) / 2, len(logs) - 1) * error
    middle = statistics.fmean(logs)
    return math.exp(middle - reach), math.exp(middle + reach)


def ratio_text(values, decimals=2):
    return f"{statistics.geometric_mean(values):.{decimals}f}" if values else "–"


def bounds_text(values, decimals=2):
    bounds = confidence(values)
    return f"{bounds[0]:.{decimals}f}–{bounds[1]:.{decimals}f}" if bounds else "–"


def verdict(bounds):
    if not bounds:
        return "–"
    return "faster" if bounds[1] < 1 else "slower" if bounds[0] > 1 else "as fast, within noise"
