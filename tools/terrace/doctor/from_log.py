# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Reads a GC log for `terrace doctor`. A log has no information on page faults and labels."""
from ..common import gclog
from ..common.term import Failure
from .observation import Observation, SecondHeap

OPTIONS = "-Xlog:gc*,gc+h2:file=gc.log:uptime,level,tags"
# Number of last collections to consider. They show the use at the end, not during the start of the program.
LAST = 10
# Causes of collections that were necessary because space ran out.
NEEDED = ("Allocation Failure", "Ergonomics")


def observe(path):
    try:
        log = gclog.parse_file(path)
    except OSError as problem:
        raise Failure(f"{path}: {problem.strerror}") from None
    if not log.pauses:
        raise Failure(f"{path} contains no collection: it is not a GC log with the decorations uptime, level and tags "
                      f"({OPTIONS}), or the program did not run long enough")
    end = log.pauses[-1].end
    seen = Observation(
        seconds=end, uptime=end, max_heap=log.max_heap or None, minor_seconds=log.seconds(False),
        major_seconds=log.seconds(True), major_count=log.count(True), h2=second_heap(log), abandoned=len(log.abandoned),
        transfers=len(log.transfers), moved=log.moved(), grown=log.h2[-1][1] - (log.h2_garbage or 0) if log.h2 else 0)
    majors = [pause for pause in log.pauses if pause.major]
    seen.requested = 2 * sum(pause.cause in NEEDED for pause in majors) < len(majors)
    if log.old and log.max_heap:
        # The log contains the committed size. NewRatio is 2 by default.
        seen.max_old = max(log.old_size, log.max_heap * 2 // 3)
        last = [used for _, used in log.old[-LAST:]]
        seen.least_old, seen.most_old = min(last), max(last)
    return seen


def second_heap(log):
    if not log.h2:
        return None
    h2 = SecondHeap(
        region_size=log.h2_region_size, regions=log.h2_regions, regions_in_use=log.h2_regions_in_use, used=log.h2[-1][1],
        garbage=log.h2_garbage, moved=log.moved(), transfers=len(log.transfers), abandoned=len(log.abandoned),
        last_error=log.abandoned[-1][1] if log.abandoned else None)
    if log.h2_directory:
        h2.directory = log.h2_directory
    return h2
