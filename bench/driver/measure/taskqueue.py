# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What a VM logs of stealing, with -Xlog:gc+task+stats=trace.

Terrace with a flag of GC threads, or the diagnostic -XX:+GCTaskStatistics, prints a line for each task. Other VMs print tables of
their queues if they are debug builds: in JDK 17 of ParallelGC's young collections, G1's evacuations and Shenandoah's marking.
"""
import re

from terrace.common import gclog

LOG = "gc+task+stats=trace"
TAGS = "gc,task,stats"
# Columns that are no counts: the longest of lists.
LONGEST = {"omax"}
OF_TASK = re.compile(r", steal attempts (\d+), failed (\d+), (?:queue reads (\d+), )?termination offers (\d+), ([\d.]+)ms, "
                     r"processors (\d+), migrations (\d+), waited ([\d.]+)ms, subtasks((?: \d+)*)")


def totals(lines, start=0.0, end=float("inf")):
    """{name: sum over the collections that end in this part of the run}; empty if the VM prints none."""
    of_tasks, of_queues, columns = {}, {}, []
    for line in lines:
        match = gclog.LINE.match(line)
        if not match or match[2] != TAGS:
            continue
        words = match[4].split()
        if words[:1] == ["thr"]:
            columns = words[1:]
        if not start <= gclog.number(match[1]) <= end:
            continue
        if task := OF_TASK.search(match[4]):
            add(of_tasks, {"attempts": int(task[1]), "failed": int(task[2]), "reads": int(task[3] or 0), "offers": int(task[4]),
                           "termination": float(task[5]) / 1000, "migrations": int(task[7]),
                           "waited": float(task[8]) / 1000, **subtasks(task[9])})
        elif words[:1] == ["tot"]:
            add(of_queues, dict(zip(columns, map(int, words[1:]))))
    if of_queues and not of_tasks:
        attempts, steals = of_queues.get("qattempt", 0), of_queues.get("qsteal", 0)
        of_tasks = {"attempts": attempts, "failed": attempts - steals}
    return {**of_queues, **of_tasks}


def subtasks(claimed):
    """How many there were, and how many of them the worker had that had most."""
    counts = list(map(int, claimed.split()))
    return {"subtasks": sum(counts), "most_subtasks": max(counts, default=0)}


def add(sums, values):
    for name, value in values.items():
        sums[name] = max(sums.get(name, 0), value) if name in LONGEST else sums.get(name, 0) + value
