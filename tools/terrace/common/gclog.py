# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Reads HotSpot's unified GC log: the occupancy of both heaps, the pauses, and the transfers.

It expects the decorations uptime, level and tags (`-Xlog:gc*:file=…:uptime,level,tags`). Sizes are in bytes, times in
seconds since the start of the VM.
"""
import math
import re
from dataclasses import dataclass, field

LINE = re.compile(r"\[(\d+[.,]\d+)s\]\[\w+ *\]\[([\w,]+) *\] (?:GC\((\d+)\) )?(.*)")
PAUSE = re.compile(r"Pause (Young|Full)\b(.*) (\d+)([KMG])->(\d+)([KMG])\((\d+)([KMG])\) (\d+[.,]\d+)ms")
# A pause of a concurrent collector. Its sizes are meaningless, and ZGC prints none.
SHORT_PAUSE = re.compile(r"(?:[A-Za-z]: )?Pause \w.* (\d+[.,]\d+)ms$")
# A line of a concurrent collector about a cycle or a part of a cycle.
BESIDE = re.compile(r"Concurrent \w.* (\d+[.,]\d+)ms$")
OLD = re.compile(r"ParOldGen: \d+K\(\d+K\)->(\d+)K\((\d+)K\)")
CPU = re.compile(r"User=(\d+[.,]\d+)s Sys=(\d+[.,]\d+)s")
MAX_HEAP = re.compile(r"Heap Max Capacity: (\d+)([KMG])")
H2_SPACE = re.compile(r"H2: (.+), (\d+)M in (\d+) regions of (\d+)M, compressed oops (on|off)")
H2_USED = re.compile(r"H2: (\d+)M used, (\d+) of (\d+) regions free")
TRANSFER = re.compile(r"Transfer: (\d+) objects, (\d+)K to (\d+) runs of regions, "
                      r"select ([\d.,]+)ms, assign ([\d.,]+)ms, copy ([\d.,]+)ms, commit ([\d.,]+)ms")
FREED = re.compile(r"Freed (\d+) regions, (\d+)M")
EVACUATED = re.compile(r"Evacuated (\d+) regions into (\d+), (\d+)K of objects")
MARKED_THROUGH = re.compile(r"Marked through H2: (\d+)M reachable of (\d+)M in live regions")
ABANDONED = re.compile(r"H2 transfer abandoned: (.*)")

UNIT = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass
class Pause:
    start: float
    seconds: float
    major: bool
    cause: str
    before: int
    after: int
    committed: int

    @property
    def end(self):
        return self.start + self.seconds


@dataclass
class Stop:
    """A pause of any kind."""
    collection: str      # number of its collection
    start: float
    seconds: float


@dataclass
class Transfer:
    at: float
    objects: int
    size: int
    select: float
    assign: float
    copy: float
    commit: float

    @property
    def seconds(self):
        return self.select + self.assign + self.copy + self.commit


@dataclass
class GcLog:
    max_heap: int = 0
    pauses: list = field(default_factory=list)
    short_pauses: list = field(default_factory=list)  # seconds, of concurrent collectors
    stops: list = field(default_factory=list)       # both kinds of pauses, in the order of their ends
    beside: list = field(default_factory=list)      # (end, seconds) of concurrent work
    old: list = field(default_factory=list)         # (time, bytes in the old generation after a collection)
    old_size: int = 0                                # the largest size of the old generation
    cpu: float = 0.0                                 # CPU seconds of the pauses
    h2_directory: str = None
    h2_capacity: int = 0
    h2_region_size: int = 0
    h2_regions: int = 0
    h2_regions_in_use: int = 0                       # at the end
    h2_garbage: int = None                           # bytes that the last marking through H2 found
    h2: list = field(default_factory=list)          # (time, bytes in H2)
    transfers: list = field(default_factory=list)
    freed: int = 0                                   # bytes of freed H2 regions
    evacuated: list = field(default_factory=list)     # (time, regions, bytes of the copied objects)
    abandoned: list = field(default_factory=list)   # (time, reason) of failed transfers

    def count(self, major):
        return sum(1 for pause in self.pauses if pause.major == major)

    def seconds(self, major):
        return sum(pause.seconds for pause in self.pauses if pause.major == major)

    def between(self, start, end):
        """Returns the cost of collections in a part of the run: pauses that began in it, and concurrent work that ended in it."""
        stops = [stop for stop in self.stops if start <= stop.start <= end]
        pauses = [stop.seconds for stop in stops]
        return {"collections": len({stop.collection for stop in stops}), "pauses": len(pauses), "seconds": sum(pauses),
                "p50": percentile(pauses, 0.5), "p99": percentile(pauses, 0.99), "max": max(pauses, default=0.0),
                "beside_seconds": sum(seconds for at, seconds in self.beside if start <= at <= end)}

    def moved(self):
        return sum(transfer.size for transfer in self.transfers)

    def allocated(self):
        """Returns the bytes that the program allocated in the heap until the last pause."""
        left = [0, *(pause.after for pause in self.pauses)]
        return sum(max(0, pause.before - before) for pause, before in zip(self.pauses, left))

    def summary(self):
        """Returns the numbers for a table."""
        return {
            "minor_count": self.count(False), "minor_seconds": self.seconds(False),
            "major_count": self.count(True), "major_seconds": self.seconds(True),
            "short_count": len(self.short_pauses), "short_seconds": sum(self.short_pauses),
            "longest_pause": max([pause.seconds for pause in self.pauses] + self.short_pauses, default=0.0),
            "gc_cpu_seconds": self.cpu,
            "moved_bytes": self.moved(), "transfers": len(self.transfers),
            "transfer_seconds": sum(transfer.seconds for transfer in self.transfers),
            "abandoned_transfers": len(self.abandoned),
            "h2_peak_bytes": max((used for _, used in self.h2), default=0),
            "h2_freed_bytes": self.freed,
            "allocated_bytes": self.allocated(),
        }


def parse(lines):
    log = GcLog()
    for line in lines:
        match = LINE.match(line)
        if match:
            at, message = number(match[1]), match[4].rstrip()
            read_stop(log, at, match[2], match[3], message)
            read_message(log, at, message)
    return log


def parse_file(path):
    with open(path, errors="replace") as file:
        return parse(file)


def read_stop(log, at, tags, collection, message):
    if match := SHORT_PAUSE.match(message):
        seconds = number(match[1]) / 1000
        log.stops.append(Stop(collection, max(0.0, at - seconds), seconds))
    elif tags == "gc" and (match := BESIDE.match(message)):
        log.beside.append((at, number(match[1]) / 1000))


def read_message(log, at, message):
    if match := PAUSE.match(message):
        seconds = number(match[9]) / 1000
        log.pauses.append(Pause(
            start=max(0.0, at - seconds), seconds=seconds, major=match[1] == "Full",
            cause=match[2].strip().strip("()"), before=int(match[3]) * UNIT[match[4]],
            after=int(match[5]) * UNIT[match[6]], committed=int(match[7]) * UNIT[match[8]]))
    elif match := SHORT_PAUSE.match(message):
        log.short_pauses.append(number(match[1]) / 1000)
    elif match := OLD.match(message):
        log.old.append((at, int(match[1]) << 10))
        log.old_size = max(log.old_size, int(match[2]) << 10)
    elif match := CPU.match(message):
        log.cpu += number(match[1]) + number(match[2])
    elif match := MAX_HEAP.match(message):
        log.max_heap = int(match[1]) * UNIT[match[2]]
    elif match := H2_USED.match(message):
        log.h2.append((at, int(match[1]) << 20))
        log.h2_regions = int(match[3])
        log.h2_regions_in_use = log.h2_regions - int(match[2])
    elif match := H2_SPACE.match(message):
        log.h2_directory = match[1]
        log.h2_capacity = int(match[2]) << 20
        log.h2_regions = int(match[3])
        log.h2_region_size = int(match[4]) << 20
        log.h2.append((at, 0))
    elif match := TRANSFER.match(message):
        times = [number(text) / 1000 for text in match.groups()[3:]]
        log.transfers.append(Transfer(at, int(match[1]), int(match[2]) << 10, *times))
    elif match := FREED.match(message):
        log.freed += int(match[2]) << 20
        log.h2_garbage = None
    elif match := EVACUATED.match(message):
        log.evacuated.append((at, int(match[1]), int(match[3]) << 10))
    elif match := MARKED_THROUGH.match(message):
        log.h2_garbage = (int(match[2]) - int(match[1])) << 20
    elif match := ABANDONED.match(message):
        log.abandoned.append((at, match[1]))


def percentile(values, share):
    """Returns the percentile `share` of the values by nearest rank, or 0 if there are none."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0


def number(text):
    """Parses a decimal number with a point or a comma."""
    return float(text.replace(",", "."))
