# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Reads a VM's statistics of work stealing (-Xlog:gc+task+stats=trace).

Terrace with a flag of GC threads, or with the diagnostic -XX:+GCTaskStatistics, prints a line for each task. Debug
builds of other VMs print tables of their queues. In JDK 17 these are ParallelGC's young collections, G1's evacuations
and Shenandoah's marking.
"""
import re

from terrace.common import gclog

LOG = "gc+task+stats=trace"
TAGS = "gc,task,stats"
# Columns with maximum lengths of lists, which are not summed.
LONGEST = {"omax"}
OF_TASK = re.compile(r", steal attempts (\d+), failed (\d+), (?:queue reads (\d+), )?termination offers (\d+), ([\d.]+)ms, "
                     r"processors (\d+), migrations (\d+), waited ([\d.]+)ms, subtasks((?: \d+)*)")


def totals(lines, start=0.0, end=float("inf")):
    """Returns {name: sum over the collections that end in this part of the run}. It is empty if the VM prints no statistics."""
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
    """Returns the number of subtasks, and the maximum for one worker."""
    counts = list(map(int, claimed.split()))
    return {"subtasks": sum(counts), "most_subtasks": max(counts, default=0)}


def add(sums, values):
    for name, value in values.items():
        sums[name] = max(sums.get(name, 0), value) if name in LONGEST else sums.get(name, 0) + value
