# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs a program once with short memory, and records its costs, its concurrent cycles, and the page faults by groups of threads."""
import os
import tempfile
from pathlib import Path

from terrace.common import gclog, paths
from terrace.common.faults import GROUPS, Faults
from terrace.common.term import notice, step, tail
from ..measure import benchmarks, measure, swapping
from ..measure.failures import failure
from ..measure.tables import decimal
from .cycles import collected
from .plan import PROGRAMS, cap, command, wide

SAMPLE_SECONDS = 0.5


class FarRuns:
    """Starts programs one at a time. Logs are stored in a folder."""

    def __init__(self, homes, logs, collector, quick, mutators=0):
        self.homes, self.logs, self.collector, self.quick, self.mutators = homes, logs, collector, quick, mutators

    def run(self, name, title, program, side, jdk, local):
        out, log, gc_log = (self.logs / f"{name}.{kind}" for kind in ("out", "log", "gc.log"))
        gc_log.unlink(missing_ok=True)
        timeout = PROGRAMS[program].size(self.quick).timeout
        limit = cap(program, self.quick, local)
        with step(title) as current, tempfile.TemporaryDirectory(prefix="far-", dir=self.logs) as scratch, \
                swapping.swapping_cap(wide(program, self.quick) if PROGRAMS[program].meets else limit) as group:
            flags = [f"-Xlog:gc*:file={gc_log}:uptime,level,tags", f"-XX:ErrorFile={self.logs / name}.hs_err.log",
                     f"-Djava.io.tmpdir={scratch}"]
            words = list(map(str, command(self.homes[jdk], side, program, self.quick, flags, scratch, self.collector,
                                           self.mutators)))
            watcher = Watcher(group, Path(scratch) if PROGRAMS[program].meets else None, limit)
            measured = vars(measure.run(words, out, log, group, env=dict(os.environ, SPARK_LOCAL_IP="127.0.0.1"), timeout=timeout,
                                        watch=lambda elapsed: (watcher.watch(elapsed), current.update(""))))
            oom_kills = group.oom_kills()
        del measured["memory"]
        result = {"command": words, "log": str(log), "gc_log": str(gc_log), "limit": limit, **measured, "oom_kills": oom_kills,
                  "samples": watcher.samples, "report": benchmarks.result(out.read_text(errors="replace")),
                  "gc": gclog.parse_file(gc_log).summary() if gc_log.exists() else None, **collected(gc_log, self.collector)}
        result["failure"] = failure(result, timeout, log, out)
        if oom_kills:
            result["failure"] = f"{oom_kills} processes were ended for want of memory in the control group ({result['failure']})"
        current.done("FAILED" if result["failure"] else f"{decimal(result['wall'])} s")
        if result["failure"]:
            notice(f"{title}: {result['failure']}. The end of {paths.relative(log)}:\n\n{tail(log, 10)}\n")
        return result


class Watcher:
    """Reduces the memory limit when a program has loaded its data, and takes samples of its counters."""

    def __init__(self, group, meet, limit):
        self.group, self.meet, self.limit = group, meet, limit
        self.faults, self.samples, self.pid = Faults(), [], None

    def watch(self, elapsed):
        if self.meet and (self.meet / "loaded").exists() and self.group.narrow(self.limit):
            (self.meet / "go").touch()
            self.meet = None
        if not self.samples or elapsed - self.samples[-1][0] >= SAMPLE_SECONDS:
            self.sample(elapsed)

    def sample(self, elapsed):
        self.pid = self.pid or next(iter(self.group.processes()), None)
        if self.pid:
            self.samples.append([round(elapsed, 2), self.group.swap_ins(), *self.faults.sample(self.pid).values()])


# -- Windows of a run -----------------------------------------------------------------------------------------------

def interpolated(samples, at):
    """Returns the interpolated counters at a time: swap-ins, then faults by group."""
    before = after = samples[0]
    for sample in samples:
        after = sample
        if sample[0] >= at:
            break
        before = sample
    share = (min(max(at, before[0]), after[0]) - before[0]) / (after[0] - before[0]) if after[0] > before[0] else 0
    return [low + (high - low) * share for low, high in zip(before[1:], after[1:])]


def between(samples, start, end):
    """Returns the increments of the counters between two times, as a dictionary."""
    if not samples:
        return dict.fromkeys(("swap_ins", *GROUPS), 0)
    return dict(zip(("swap_ins", *GROUPS),
                    (after - before for before, after in zip(interpolated(samples, start), interpolated(samples, end)))))


def seconds_by_window(run):
    """Returns two lists of the seconds that a program reported: in cycles, and outside of cycles. The larger part of a
    second decides."""
    start, last = run["report"]["from"], run["report"]["to"]
    windows = [(cycle["start"], last if cycle["end"] is None else cycle["end"]) for cycle in run["cycles"]]
    inside, outside = [], []
    for number, second in enumerate(run["report"]["seconds"]):
        begin = start + number
        covered = sum(max(0.0, min(end, begin + 1) - max(of, begin)) for of, end in windows)
        (inside if covered > 0.5 else outside).append(second)
    return inside, outside


def operations(seconds):
    return sum(sum(second.values()) for second in seconds)


def percentile(seconds, share):
    """Returns the percentile of all operations of these seconds in milliseconds, rounded up to the bound of its bucket."""
    buckets = {}
    for second in seconds:
        for bucket, count in second.items():
            buckets[int(bucket)] = buckets.get(int(bucket), 0) + count
    left = share * sum(buckets.values())
    for bucket in sorted(buckets):
        left -= buckets[bucket]
        if left <= 0:
            return bound(bucket + 1) / 1e6
    return None


def bound(bucket):
    """Returns the start of a bucket in nanoseconds. There are eight buckets for each power of two."""
    return (8 + (bucket & 7)) << (bucket >> 3) - 3
