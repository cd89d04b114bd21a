# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Counts the major faults of a JVM by groups of threads. HotSpot's thread names identify the threads of the collector."""
import contextlib
import re
from pathlib import Path

PROGRAM, CONCURRENT, PAUSES, REFINEMENT = GROUPS = ("program", "concurrent", "pauses", "refinement")
# The kernel truncates thread names to 15 characters.
COLLECTOR = ((CONCURRENT, re.compile(r"G1 Conc#|G1 Main Marker|Shenandoah ")), (PAUSES, re.compile(r"GC Thread#|VM Thread")),
             (REFINEMENT, re.compile(r"G1 Refine#")))


def group_of(name):
    return next((group for group, pattern in COLLECTOR if pattern.match(name)), PROGRAM)


def parse(stat):
    """Returns the name and the number of major faults from a line of /proc/PID/task/TID/stat. A name may contain any character."""
    left, _, right = stat.rpartition(")")
    return left.partition("(")[2], int(right.split()[9])


class Faults:
    """Fault counts of all threads so far. The last known count of a thread remains after the thread has ended."""

    def __init__(self):
        self.by_thread = {}

    def sample(self, pid):
        """Returns the sums so far by group."""
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    name, count = parse((task / "stat").read_text())
                    self.by_thread[task.name] = group_of(name), count
        sums = dict.fromkeys(GROUPS, 0)
        for group, count in self.by_thread.values():
            sums[group] += count
        return sums
