# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Who waits for pages: major faults of a JVM's threads, told apart by the names that HotSpot gives the collector's."""
import contextlib
import re
from pathlib import Path

PROGRAM, CONCURRENT, PAUSES, REFINEMENT = GROUPS = ("program", "concurrent", "pauses", "refinement")
# The kernel keeps 15 characters of a name.
COLLECTOR = ((CONCURRENT, re.compile(r"G1 Conc#|G1 Main Marker")), (PAUSES, re.compile(r"GC Thread#|VM Thread")),
             (REFINEMENT, re.compile(r"G1 Refine#")))


def group_of(name):
    return next((group for group, pattern in COLLECTOR if pattern.match(name)), PROGRAM)


def parse(stat):
    """Name and major faults, of a line of /proc/PID/task/TID/stat. A name may contain anything."""
    left, _, right = stat.rpartition(")")
    return left.partition("(")[2], int(right.split()[9])


class Faults:
    """Counts of all threads there were, those that have ended with what they had when they were last seen."""

    def __init__(self):
        self.by_thread = {}

    def sample(self, pid):
        """The sums so far, by group."""
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    name, count = parse((task / "stat").read_text())
                    self.by_thread[task.name] = group_of(name), count
        sums = dict.fromkeys(GROUPS, 0)
        for group, count in self.by_thread.values():
            sums[group] += count
        return sums
