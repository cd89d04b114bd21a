# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Reads the concurrent cycles of G1 and of Shenandoah from a log, with the times of their phases."""
import re
from dataclasses import dataclass

from terrace.common import gclog

G1_PHASES = {"Concurrent Mark": "mark", "Concurrent Rebuild Remembered Sets": "rebuild"}
G1_PHASE = re.compile(r"(Concurrent Mark|Concurrent Rebuild Remembered Sets)(?: (\d+[.,]\d+)ms)?$")
G1_CYCLE = re.compile(r"Concurrent Mark Cycle(?: (\d+[.,]\d+)ms)?$")
SHENANDOAH_PHASES = {"marking": "mark", "evacuation": "evacuation", "update references": "update"}
SHENANDOAH_PHASE = re.compile(r"Concurrent (marking|evacuation|update references)(?: \([\w ]+\))*(?: (\d+[.,]\d+)ms)?$")
# Messages of the VM about features that are not available.
NOTES = re.compile(r"(No summaries of pages: .*|UseFarMemory has no effect: .*|The system has no PAGEMAP_SCAN.*)")


@dataclass
class Cycle:
    start: float         # uptime, seconds
    end: float = None    # None if the cycle had not ended
    mark: float = None   # seconds, or None if unknown
    rebuild: float = None
    evacuation: float = None
    update: float = None
    aborted: bool = False
    postponed: bool = False  # has no evacuation, because it would read much to free little


@dataclass
class Stop:
    """A collection that stops the program from its begin to its end."""
    at: float
    full: bool           # otherwise it completes a concurrent cycle for which there was not enough memory


def collected(gc_log, collector):
    if not gc_log.exists():
        return {"cycles": [], "stops": [], "notes": []}
    lines = gc_log.read_text(errors="replace").splitlines()
    cycles, stops = (g1 if collector == "g1" else shenandoah)(lines)
    notes = [match[1] for line in lines if (match := NOTES.search(line))]
    return {"cycles": list(map(vars, cycles)), "stops": list(map(vars, stops)), "notes": list(dict.fromkeys(notes))}


def messages(lines):
    """Yields the time, the tags, the number of the collection, if any, and the message of each line."""
    for line in lines:
        if match := gclog.LINE.match(line):
            yield gclog.number(match[1]), match[2].split(","), match[3], match[4].rstrip()


def g1(lines):
    cycles, stops = [], []
    for at, tags, _, message in messages(lines):
        if tags == ["gc"] and (cycle := G1_CYCLE.match(message)):
            if not cycle[1]:
                cycles.append(Cycle(at))
            elif cycles:
                cycles[-1].end = at
        elif tags == ["gc", "marking"] and cycles:
            if message == "Concurrent Mark Abort":
                cycles[-1].aborted = True
            elif (phase := G1_PHASE.match(message)) and phase[2]:
                setattr(cycles[-1], G1_PHASES[phase[1]], gclog.number(phase[2]) / 1000)
        elif tags == ["gc", "start"] and message.startswith("Pause Full"):
            stops.append(Stop(at, True))
    return cycles, stops


def shenandoah(lines):
    """A phase that had not ended counts until the end of the VM."""
    cycles, stops = [], []
    current, phase, began, at = None, None, None, 0.0
    for at, tags, collection, message in messages(lines):
        if tags == ["gc", "start"] and message == "Concurrent reset":
            current, phase = Cycle(at), None
            cycles.append(current)
        elif tags == ["gc", "start"] and message.startswith(("Pause Degenerated GC", "Pause Full")):
            stops.append(Stop(at, message.startswith("Pause Full")))
        elif message.startswith(("Cannot finish degeneration", "Cancelling GC: Upgrade To Full GC")):
            # A degenerated collection that fails, or that frees too little, becomes a full one without a "Pause Full".
            stops.append(Stop(at, True))
        elif message == "Cancelling GC: Stopping VM":
            break
        elif current and tags == ["gc", "ergo"] and not collection and message.startswith("Free: "):
            # The VM logs the free memory after each collection, without the collection's number.
            current.end, current = at, None
        elif current and message.startswith("Cancelling GC: "):
            current.aborted = True
        elif current and message.startswith("Evacuation is postponed: "):
            current.postponed = True
        elif current and (match := SHENANDOAH_PHASE.match(message)):
            if match[2]:
                setattr(current, SHENANDOAH_PHASES[match[1]], gclog.number(match[2]) / 1000)
                phase = None
            elif tags == ["gc", "start"]:
                phase, began = SHENANDOAH_PHASES[match[1]], at
    if current and phase:
        setattr(current, phase, at - began)
    return cycles, stops
