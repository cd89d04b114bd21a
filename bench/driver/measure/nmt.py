# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Reads HotSpot's native memory report (`jcmd PID VM.native_memory detail scale=b`), and determines the resident part."""
import os
import re
from dataclasses import dataclass

RANGE = re.compile(r"\[0x([0-9a-f]+) - 0x([0-9a-f]+)\] (reserved and committed|reserved|committed) \d+")
FRAME = re.compile(r"\[0x[0-9a-f]+\] ?(.*)")
MALLOC = re.compile(r"\(malloc=(\d+) ")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Committed:
    start: int
    end: int
    frames: list                # stack of the commit
    reserved_by: list           # stack of the reservation


@dataclass
class Malloc:
    size: int
    frames: list


def parse(text):
    """Returns ([Committed], [Malloc])."""
    ranges, mallocs = [], []
    frames, reserved = [], []
    for line in text.splitlines():
        if match := RANGE.search(line):
            frames = []
            if match[3].startswith("reserved"):
                reserved = frames
            if match[3].endswith("committed"):
                ranges.append(Committed(int(match[1], 16), int(match[2], 16), frames, reserved))
        elif match := FRAME.match(line.strip()):
            frames.append(match[1])
        else:
            if match := MALLOC.search(line):
                mallocs.append(Malloc(int(match[1]), frames))
            frames = []
    return ranges, mallocs


def resident(pid, start, end):
    """Returns the bytes of a range that are in memory."""
    first, last = start // PAGE, (end + PAGE - 1) // PAGE
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as file:
        entries = os.pread(file.fileno(), (last - first) * 8, first * 8)
    return sum(1 for at in range(7, len(entries), 8) if entries[at] & 0x80) * PAGE
