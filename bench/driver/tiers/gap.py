# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The share of the gap that a policy closes: between every third region in fast memory, and all data in memory."""
import statistics

from ..measure.tables import Table

WORST, BEST = "interleave", "dram"
# Policies for users. The others exist for comparison.
OURS = ("hints", "lineage", "profile", "monitor", "both")
# A smaller part of the time of the passes is noise.
LEAST_GAP = 0.1
BEFORE_PASSES = ("start", "load", "plan", "total")


def passes(run):
    """Returns the seconds of the phases that read the cached data."""
    return sum(seconds for phase, seconds in run["report"]["seconds"].items() if phase not in BEFORE_PASSES)


def share(worst, value, best):
    """Returns 0 for a policy as slow as the worst side, and 1 for one as fast as the best side."""
    return (worst - value) / (worst - best)


def shares(runs):
    """Returns the share of each policy of one program, of the medians of the passes. None if the gap is not larger than noise."""
    times = {}
    for run in runs:
        times.setdefault(run["policy"], []).append(passes(run))
    times = {policy: statistics.median(values) for policy, values in times.items()}
    if WORST not in times or BEST not in times or times[WORST] - times[BEST] < LEAST_GAP * times[WORST]:
        return None
    return {policy: share(times[WORST], value, times[BEST]) for policy, value in times.items() if policy not in (WORST, BEST)}


def best(found):
    """Returns the largest share of the policies for users, or None."""
    return max((found[policy] for policy in OURS if policy in found), default=None)


def table(by_program):
    """Returns a table of the shares, given the runs of each program by its title. None without a program with both sides."""
    found = {title: shares(runs) for title, runs in by_program.items()}
    policies = list(dict.fromkeys(policy for one in found.values() if one for policy in one))
    if not policies:
        return None
    rows = [[title, *(text(one.get(policy)) for policy in policies), text(best(one))] if one else
            [title, *("no gap" for _ in policies), "–"] for title, one in found.items()]
    bests = [best(one) for one in found.values() if one and best(one) is not None]
    mean = statistics.geometric_mean(bests) if bests and min(bests) > 0 else None
    rows.append(["geometric mean", *("" for _ in policies), text(mean)])
    return Table("Share of the gap between interleave and dram that is closed, in the time of the passes", ["", *policies, "best of ours"], rows)


def text(value):
    return "–" if value is None else f"{value:.2f}"
