# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What `terrace doctor` has observed of a virtual machine, and what it finds."""
from dataclasses import dataclass, field

from ..common.faults import PROGRAM

KIB, MIB = 1 << 10, 1 << 20

# Of the old generation that live data should take.
COMFORTABLE = 0.6
# Of the regions: fewer are free.
SHORT_OF_ROOM = 0.1
# Of the heap, swapped out: more than what a program has forgotten.
MUCH_SWAPPED = 0.25
# A program that is younger has not shown yet what it does.
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
    waited: float = None             # seconds that threads of the program waited for its pages, summed over threads


@dataclass
class SecondHeap:
    directory: str = "its directory"
    region_size: int = 0
    regions: int = 0
    regions_in_use: int = 0
    used: int = 0
    resident: int = None
    garbage: int = None
    tagged: int = None
    moved: int = 0
    read_by_collections: int = None  # major ones: once to mark and once to adjust
    reread: int = 0                  # of that, because compaction moved objects in H1
    transfers: int = 0
    abandoned: int = 0
    last_error: str = None
    unlocks: int = 0                 # times that H2 was taken out of locked memory
    labels: list = field(default_factory=list)
    reads: dict = field(default_factory=dict)    # how labels are read, as far as the VM reports it: random or sequential

    @property
    def live(self):
        """Bytes that are not known to be garbage."""
        return self.used - (self.garbage or 0)

    @property
    def room(self):
        """Share of the regions that are free."""
        return 1 - self.regions_in_use / self.regions if self.regions else 1.0

    @property
    def is_full(self):
        return self.last_error is not None and "H2 is full" in self.last_error


@dataclass
class Observation:
    """Bytes and seconds; None is unknown. Counts are of the time of observation."""
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
    requested: bool = None           # major collections, by the program or by a command
    abandoned: int = 0               # transfers
    transfers: int = 0
    moved: int = 0                   # by them
    grown: int = 0                   # what is alive in H2, as far as is known
    moves_unhinted: bool = None      # H2MoveUnhinted
    read_for_references: int = None  # of H2, by major collections
    read_for_moves: int = 0          # of that, because compaction moved objects in H1
    major_faults: int = None
    device_read: int = None
    waiting: float = None            # threads of the program in uninterruptible sleep, on average
    waited: dict = field(default_factory=dict)   # seconds by label, for pages of H2
    anonymous: int = None
    limit: int = None                # of the control group
    file_system: str = None          # of H2's directory
    random_access: bool = None       # H2RandomAccess; None: it is not set, so the VM finds out
    g1: bool = False
    far: bool = False                # -XX:+UseFarMemory
    summaries: bool = None           # of pages, with far memory
    swapped: int = None
    faults: dict = field(default_factory=dict)   # major ones, by who waited: see common/faults.py

    @property
    def has_started(self):
        return self.uptime is not None and self.uptime >= STARTED

    @property
    def collecting(self):
        """Share of the time."""
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
        """Major faults of its threads a second."""
        return sum(count for group, count in self.faults.items() if group != PROGRAM) / self.seconds if self.seconds else 0

    @property
    def by_program(self):
        return self.faults.get(PROGRAM, 0) / self.seconds if self.seconds else 0

    @property
    def is_short_of_room(self):
        return bool(self.h2) and (self.abandoned > 0 or self.h2.room < SHORT_OF_ROOM)

    def heap_for(self, old):
        """The -Xmx with which so much in the old generation is comfortable; None if sizes are unknown."""
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
