# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""A model of the energy, time and cost of DRAM and non-volatile memory, after Panthera (Chen et al., TOCS '22, section 7.1).

Energy has a static part, which grows with the DRAM and the time, and a dynamic part, which grows with the cache lines that are read and
written. The paper has no power of DRAM, no row size of non-volatile memory, and no count of accesses that other machines can use. These
have ranges here, and so has each result: the least and the most of all combinations.
"""
import itertools
from dataclasses import dataclass

GIB = 1 << 30
LINE = 64              # bytes
LINE_BITS = 8 * LINE

BUFFER_WRITE = 1.02    # pJ/bit, row buffer
BUFFER_READ = 0.93
MISSES = 0.5           # row-buffer misses per access
NVM_READ = 2.47        # pJ/bit, array
NVM_WRITE = 16.8 * 0.076
DRAM_READ = NVM_READ / 2.1
DRAM_WRITE = 0.39
DRAM_ROW = 8192        # bits

# Table 2
LATENCY_NS = {"dram": 120, "nvm": 300}
BANDWIDTH = {"dram": 30e9, "nvm": 10e9}
PRICES = {"dram": 16.61, "nvm": 7.85}  # dollars per GB, section 7.3
PRICE_RATIO = 5                        # DRAM to NVM, Table 2


@dataclass(frozen=True)
class Memory:
    """Energies of the array in pJ/bit, and how many bits a miss reads from it and writes to it."""
    read: float
    write: float
    row: int
    written: int

    def read_line(self):
        """Returns the energy in pJ to read a cache line. A miss reads a row into the row buffer."""
        return LINE_BITS * BUFFER_READ + MISSES * self.row * self.read

    def write_line(self):
        """Returns the energy in pJ to write a cache line. A miss also writes the row that was in the row buffer to the array."""
        return LINE_BITS * BUFFER_WRITE + MISSES * (self.row * self.read + self.written * self.write)


DRAM = Memory(DRAM_READ, DRAM_WRITE, DRAM_ROW, DRAM_ROW)


@dataclass(frozen=True)
class Case:
    """A value for each parameter that the paper leaves open."""
    power: float       # of DRAM, W/GB
    nvm: Memory
    heap_accesses: int  # reads and writes of memory for each byte that the program allocates
    stalls: bool       # whether the program waits for each line, one after the other; otherwise only bandwidth limits it


POWER = (0.1, 0.4)
# A row of one line, of which the least unit is written; a row as in DRAM, and 7.6 % of all of it.
NVM = (Memory(NVM_READ, NVM_WRITE, LINE_BITS, 32), Memory(NVM_READ, NVM_WRITE, DRAM_ROW, DRAM_ROW))
HEAP_ACCESSES = (1, 10)
CASES = [Case(*choice) for choice in itertools.product(POWER, NVM, HEAP_ACCESSES, (False, True))]


@dataclass(frozen=True)
class Load:
    """The memory and the accesses of a program, in bytes."""
    memory: float      # that it uses without a limit
    seconds: float     # with DRAM only
    allocated: float   # in H1, which is always in DRAM
    read: float        # of cached data, by tasks
    written: float     # of cached data


def seconds(load, slow_read, slow_written, case):
    """Returns the run time if so many bytes are read from and written to slow memory instead of DRAM."""
    per_byte = 1 / BANDWIDTH["nvm"] - 1 / BANDWIDTH["dram"]
    moving = (slow_read + slow_written) * per_byte
    waiting = slow_read / LINE * (LATENCY_NS["nvm"] - LATENCY_NS["dram"]) * 1e-9
    return load.seconds + (max(moving, waiting) if case.stalls else moving)


def static_joules(load, share, slow_read, slow_written, case):
    """Returns the energy of DRAM that keeps its content. Non-volatile memory needs none."""
    return case.power * share * load.memory / GIB * seconds(load, slow_read, slow_written, case)


def dynamic_joules(load, slow_read, slow_written, case):
    other = case.heap_accesses * load.allocated
    # The device reads ahead, and curves continue beyond the measured shares, so slow memory can have more bytes than the tasks.
    fast_read, fast_written = max(0, load.read - slow_read), max(0, load.written - slow_written)
    picojoules = ((fast_read + other) * DRAM.read_line() + (fast_written + other) * DRAM.write_line()
                  + slow_read * case.nvm.read_line() + slow_written * case.nvm.write_line()) / LINE
    return picojoules * 1e-12


def joules(load, share, slow_read, slow_written, case):
    return static_joules(load, share, slow_read, slow_written, case) + dynamic_joules(load, slow_read, slow_written, case)


def energy_ratio(load, share, slow_read, slow_written):
    """Returns the least and the most energy, relative to DRAM only."""
    return bounds(joules(load, share, slow_read, slow_written, case) / joules(load, 1, 0, 0, case) for case in CASES)


def energy_between(load, share, slow, others):
    """Returns the least and the most ratio of two energies with the same parameters. `slow` and `others` are (read, written)."""
    return bounds(joules(load, share, *slow, case) / joules(load, share, *others, case) for case in CASES)


def time_ratio(load, slow_read, slow_written):
    return bounds(seconds(load, slow_read, slow_written, case) / load.seconds for case in CASES)


def cost_ratio(share):
    """Returns the least and the most price of the memory, relative to DRAM only: by the ratio of Table 2, and by the prices."""
    return bounds(share + (1 - share) * nvm for nvm in (1 / PRICE_RATIO, PRICES["nvm"] / PRICES["dram"]))


def bounds(values):
    values = list(values)
    return min(values), max(values)


def slow_bytes(points, share):
    """Returns the bytes for a share of DRAM by straight lines through the measured `points`, pairs of (share, bytes).

    With DRAM only there are none. Below the least measured share, the line of the least two continues.
    """
    known = sorted([*points, (1.0, 0.0)])
    after = next((index for index, (at, _) in enumerate(known) if at >= share), len(known) - 1)
    (low, some), (high, other) = known[max(0, after - 1):][:2]
    return max(0.0, some + (other - some) * (share - low) / (high - low))


# Rows of a table: what, value, source.
PARAMETERS = (
    ("row buffer read, write, pJ/bit", f"{BUFFER_READ}, {BUFFER_WRITE}", "Lee et al. (ISCA '09); the paper, 7.1"),
    ("DRAM array read, write, pJ/bit", f"{DRAM_READ:.2f}, {DRAM_WRITE}", "the paper, 7.1: NVM ÷ 2.1; assumed"),
    ("NVM array read, write, pJ/bit", f"{NVM_READ}, {NVM_WRITE:.2f}", "the paper, 7.1: 16.8 × 7.6 % for a write"),
    ("row-buffer misses per access", f"{MISSES}", "the paper, 7.1"),
    ("row of DRAM, bits", f"{DRAM_ROW}", "the paper, 7.1"),
    ("row of NVM, bits", f"{NVM[0].row}–{NVM[1].row}", "assumed: a line, or as DRAM"),
    ("written to NVM by a miss, bits × 7.6 %", f"{NVM[0].written}–{NVM[1].written}", "assumed: the paper's unit, or the row"),
    ("DRAM static, W/GB", f"{POWER[0]}–{POWER[1]}", "assumed"),
    ("NVM static, W/GB", "0", "the paper, 7.1"),
    ("reads and writes of DRAM per allocated byte", f"{HEAP_ACCESSES[0]}–{HEAP_ACCESSES[1]}", "assumed"),
    ("latency of DRAM, NVM, ns", f"{LATENCY_NS['dram']}, {LATENCY_NS['nvm']}", "the paper, Table 2"),
    ("bandwidth of DRAM, NVM, GB/s", f"{BANDWIDTH['dram'] / 1e9:.0f}, {BANDWIDTH['nvm'] / 1e9:.0f}", "the paper, Table 2"),
    ("waits for slow memory", "none–each line read", "assumed: bandwidth, or latency"),
    ("price of DRAM, NVM, $/GB", f"{PRICES['dram']}, {PRICES['nvm']}", f"the paper, 7.3; or {PRICE_RATIO} : 1, Table 2"),
)
