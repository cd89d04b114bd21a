"""What a VM with statistics of its task queues logs of stealing, with -Xlog:gc+task+stats=trace.

In JDK 17 that is a debug build; ParallelGC's young collections, G1's evacuations and Shenandoah's marking print a line
with the columns' names and, behind lines of single workers, a line "tot" of sums.
"""
from . import gclog

LOG = "gc+task+stats=trace"
TAGS = "gc,task,stats"
# Columns that are no counts: the longest of lists.
LONGEST = {"omax"}


def totals(lines, start=0.0, end=float("inf")):
    """{column: sum over the collections that end in this part of the run}; empty if the VM prints none."""
    sums, names = {}, []
    for line in lines:
        match = gclog.LINE.match(line)
        if not match or match[2] != TAGS:
            continue
        words = match[4].split()
        if words[:1] == ["thr"]:
            names = words[1:]
        elif words[:1] == ["tot"] and start <= gclog.number(match[1]) <= end:
            for name, value in zip(names, map(int, words[1:])):
                sums[name] = max(sums.get(name, 0), value) if name in LONGEST else sums.get(name, 0) + value
    return sums


def attempts(sums):
    return sums.get("qattempt", 0)


def failed(sums):
    """Attempts that found nothing."""
    return attempts(sums) - sums.get("qsteal", 0)
