# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The data that `terrace doctor` has observed of a virtual machine, and the class of its findings."""
from dataclasses import dataclass, field

from ..common.faults import PROGRAM

KIB, MIB = 1 << 10, 1 << 20

# Fraction of the old generation that live data should occupy.
COMFORTABLE = 0.6
# Fraction of the regions. Free space is short if fewer are free.
SHORT_OF_ROOM = 0.1
# Fraction of the heap that is swapped out. A larger one is more than data that the program no longer uses.
MUCH_SWAPPED = 0.25
# Seconds of uptime. The behaviour of a younger program is not representative.
STARTED = 60


@dataclass
class Label:
    label: int
    regions: int
    held: int
    used: int
    resident: int
    garbage: int
    holders: list = field(default_factory=list)   # labels that keep it alive
    waited: float = None             # seconds that program threads waited for its pages, summed over threads


@dataclass
class SecondHeap:
    directory: str = "its directory"
    region_size: int = 0
    regions: int = 0
    regions_in_use: int = 0
    used: int = 0
    resident: int = None
    garbage: int = None              # None before the first marking through H2
    freed: int = None                # regions that the collection of --objects freed before the counting
    tagged: int = None
    moved: int = 0
    read_by_collections: int = None  # by major collections, once for marking and once for adjustment
    reread: int = 0                  # part of read_by_collections, because compaction moved objects in H1
    transfers: int = 0
    abandoned: int = 0
    last_error: str = None
    unlocks: int = 0                 # how often the VM unlocked H2 after mlockall
    labels: list = field(default_factory=list)
    reads: dict = field(default_factory=dict)    # access pattern of labels, random or sequential, as far as the VM reports it

    @property
    def live(self):
        """Returns the bytes that are not known to be garbage."""
        return self.used - (self.garbage or 0)

    @property
    def taken(self):
        """Returns the bytes of the regions in use."""
        return self.regions_in_use * self.region_size

    @property
    def room(self):
        """Returns the fraction of regions that are free."""
        return 1 - self.regions_in_use / self.regions if self.regions else 1.0

    @property
    def is_full(self):
        return self.last_error is not None and "H2 is full" in self.last_error


@dataclass
class Observation:
    """An observation of a virtual machine. Sizes are in bytes, times in seconds, and counts refer to the time of
    observation. None is unknown."""
    seconds: float = 0.0
    uptime: float = None
    max_heap: int = None
    max_old: int = None
    least_old: int = None            # in the old generation
    most_old: int = None
    minor_seconds: float = None
    major_seconds: float = None
    major_count: int = None
    h2: SecondHeap = None
    requested: bool = None           # whether the program or a command requested major collections
    abandoned: int = 0               # failed transfers
    transfers: int = 0
    moved: int = 0                   # bytes moved by transfers
    grown: int = 0                   # growth of live data in H2, as far as it is known
    moves_unhinted: bool = None      # H2MoveUnhinted
    read_for_references: int = None  # bytes of H2 that major collections read
    read_for_moves: int = 0          # part of read_for_references, because compaction moved objects in H1
    major_faults: int = None
    device_read: int = None
    waiting: float = None            # mean number of program threads in uninterruptible sleep
    waited: dict = field(default_factory=dict)   # {label: seconds} of waits for pages of H2
    anonymous: int = None
    limit: int = None                # of the control group
    file_system: str = None          # of H2's directory
    random_access: bool = None       # H2RandomAccess, or None if it is not set and the VM detects the access pattern
    g1: bool = False
    shenandoah: bool = False         # -XX:+UseShenandoahGC
    far: bool = False                # -XX:+UseFarMemory
    summaries: bool = None           # whether pages have summaries, with far memory
    swapped: int = None
    faults: dict = field(default_factory=dict)   # major faults by group of threads, see common/faults.py

    @property
    def has_started(self):
        return self.uptime is not None and self.uptime >= STARTED

    @property
    def collecting(self):
        """Returns the fraction of the time that is spent in collections."""
        if self.minor_seconds is None or self.major_seconds is None or not self.seconds:
            return None
        return (self.minor_seconds + self.major_seconds) / self.seconds

    @property
    def crowding(self):
        return self.least_old / self.max_old if self.least_old is not None and self.max_old else None

    @property
    def is_swapped(self):
        return bool(self.swapped and self.max_heap and self.swapped >= MUCH_SWAPPED * self.max_heap)

    @property
    def by_collector(self):
        """Returns the major faults of the collector's threads per second."""
        return sum(count for group, count in self.faults.items() if group != PROGRAM) / self.seconds if self.seconds else 0

    @property
    def by_program(self):
        return self.faults.get(PROGRAM, 0) / self.seconds if self.seconds else 0

    @property
    def is_short_of_room(self):
        return bool(self.h2) and (self.abandoned > 0 or self.h2.room < SHORT_OF_ROOM)

    def heap_for(self, old):
        """Returns the -Xmx for which `old` bytes are a comfortable load of the old generation, or None if sizes are unknown."""
        return int(old / COMFORTABLE * self.max_heap / self.max_old) if self.max_heap and self.max_old else None


@dataclass
class Finding:
    name: str
    title: str
    evidence: str
    remedy: str


def mb(size):
    return f"{size / MIB:,.0f} MB" if size >= 10 * MIB else f"{size / MIB:.1f} MB"


def percent(share):
    return f"{100 * share:.0f} %"


def sentence(text):
    return text[0].upper() + text[1:] + "."
