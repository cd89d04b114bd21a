"""Looks at a GC log for `terrace doctor`. A log knows nothing of page faults and of labels."""
from . import gclog
from .doctor_rules import Observation, SecondHeap
from .term import Failure

OPTIONS = "-Xlog:gc*,gc+h2:file=gc.log:uptime,level,tags"
# Of the last collections: what is live at the end, not what was while the program started.
LAST = 10


def observe(path):
    try:
        log = gclog.parse_file(path)
    except OSError as problem:
        raise Failure(f"{path}: {problem.strerror}") from None
    if not log.pauses:
        raise Failure(f"{path} tells of no collection: it is no GC log with the decorations uptime, level and tags "
                      f"({OPTIONS}), or the program did not run long enough")
    seen = Observation(
        seconds=log.pauses[-1].end, max_heap=log.max_heap or None, minor_seconds=log.seconds(False),
        major_seconds=log.seconds(True), major_count=log.count(True), h2=second_heap(log), abandoned=len(log.abandoned))
    if log.old:
        seen.max_old = log.old_size
        seen.least_old = min(used for _, used in log.old[-LAST:])
    return seen


def second_heap(log):
    if log.h2_directory is None:
        return None
    return SecondHeap(
        directory=log.h2_directory, region_size=log.h2_region_size, regions=log.h2_regions,
        regions_in_use=log.h2_regions_in_use, used=log.h2[-1][1], garbage=log.h2_garbage, moved=log.moved(),
        transfers=len(log.transfers), abandoned=len(log.abandoned),
        last_error=log.abandoned[-1][1] if log.abandoned else None)
