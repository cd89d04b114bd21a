"""Looks at a running virtual machine for `terrace doctor`: its diagnostic commands, and what the kernel counts of it."""
import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

from . import machine, memory_cap
from .doctor_rules import MIB, Label, Observation, SecondHeap
from .measure import ANONYMOUS
from .term import Failure

POLL = 0.05
# Threads of the VM, by the names that the kernel knows; they may wait without the program doing so.
OF_VM = re.compile(r"^(GC |VM |G1 |C[12] Compiler|H2 |Signal|Common-Cl|Monitor De|Service|Notificat|Sweeper|Attach|Ref|Finalizer)")
SUMMARY = re.compile(r"^H2 in (.*): (\d+) of (\d+) regions of (\d+)M in use", re.M)
OBJECTS = re.compile(r"^Objects: ([\d.]+)M, ([\d.]+)M of it in memory, ([\d.]+)M known to be garbage", re.M)
HINTS = re.compile(r"^Hints: (\d+) tagged", re.M)
TRANSFERS = re.compile(r"^Transfers: (\d+), (\d+) abandoned(?: \(last: (.*?)\))?; \d+ objects, ([\d.]+)M", re.M)
LABEL = re.compile(r"^ *(-?\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)(?:  (.*))?$", re.M)
HOLDER = re.compile(r"(-?\d+) \(\d+\)")
COUNTER = re.compile(r"^([\w.]+)=(-?\d+)$", re.M)
# No control group has more; version 1 says it in bytes.
NO_LIMIT = 1 << 60


def observe(pid, seconds, look_at_objects):
    home = home_of(pid)
    h2_before = second_heap(home, pid, look_at_objects)
    before = Sample(home, pid)
    waiting, least_old = watch(home, pid, seconds)
    after = Sample(home, pid)
    h2 = second_heap(home, pid, look_at_objects)
    seen = Observation(seconds=after.at - before.at, h2=h2, waiting=waiting, anonymous=after.anonymous,
                       limit=limit_of(pid), major_faults=after.major_faults - before.major_faults)
    if after.device_read is not None:
        seen.device_read = after.device_read - before.device_read
    if h2:
        seen.abandoned = h2.abandoned - h2_before.abandoned
        with contextlib.suppress(OSError):
            seen.file_system = machine.disk(h2.directory).split(",")[0]
    flags = jcmd(home, pid, "VM.flags")
    seen.random_access = "+H2RandomAccess" in flags
    if match := re.search(r"-XX:MaxHeapSize=(\d+)", flags):
        seen.max_heap = int(match[1])
    if after.counters:
        collections(seen, before.counters, after.counters)
        seen.least_old = min(least_old + [old_used(before.counters), old_used(after.counters)])
    return seen


def home_of(pid):
    """Of the JDK that a process runs on: its jcmd fits."""
    try:
        program = Path(os.readlink(f"/proc/{pid}/exe"))
    except FileNotFoundError:
        raise Failure(f"there is no process {pid} (jps -l lists Java's)") from None
    except PermissionError:
        raise Failure(f"process {pid} belongs to another user: run this as that user, or as root") from None
    home = program.parent.parent
    if not os.access(home / "bin/jcmd", os.X_OK):
        raise Failure(f"process {pid} runs {program}, and there is no jcmd beside it: it is no Java, or a JRE without tools")
    return home


def jcmd(home, pid, *command):
    try:
        result = subprocess.run([str(home / "bin/jcmd"), str(pid), *command], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise Failure(f"process {pid} does not answer jcmd: it may be stopped, or starting") from None
    if result.returncode and "Unknown diagnostic command" not in result.stdout:
        raise Failure(f"jcmd {pid} {' '.join(command)} failed:\n{result.stdout.strip()}")
    return result.stdout


def second_heap(home, pid, look_at_objects):
    return parse_h2(jcmd(home, pid, "Terrace.h2", *(["-objects"] if look_at_objects else []), "-labels=1000"))


def parse_h2(text):
    """What Terrace.h2 printed; None if there is no H2."""
    summary = SUMMARY.search(text)
    if not summary:
        return None
    objects, transfers = OBJECTS.search(text), TRANSFERS.search(text)
    table = text[text.find("\n\n"):] if "\n\n" in text else ""
    labels = [Label(int(row[1]), int(row[2]), int(row[3]), mega(row[4]), mega(row[5]), mega(row[6]),
                    [int(holder) for holder in HOLDER.findall(row[7] or "")])
              for row in LABEL.finditer(table.split("\n\nLabel ")[0])]
    return SecondHeap(
        directory=summary[1], regions_in_use=int(summary[2]), regions=int(summary[3]), region_size=int(summary[4]) * MIB,
        used=mega(objects[1]), resident=mega(objects[2]), garbage=mega(objects[3]), tagged=int(HINTS.search(text)[1]),
        transfers=int(transfers[1]), abandoned=int(transfers[2]), last_error=transfers[3], moved=mega(transfers[4]),
        labels=labels)


def mega(text):
    return int(float(text) * MIB)


class Sample:
    """Counters of a process at one time."""

    def __init__(self, home, pid):
        self.at = time.monotonic()
        self.counters = counters(home, pid)
        process = Path(f"/proc/{pid}")
        try:
            # Fields after the name, which is in parentheses and may hold anything: the state is the third.
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            self.major_faults = int(fields[9])
            anonymous = ANONYMOUS.search((process / "status").read_text())
        except OSError:
            raise Failure(f"process {pid} has ended") from None
        self.anonymous = int(anonymous[1]) << 10 if anonymous else None
        self.device_read = None
        with contextlib.suppress(OSError):
            self.device_read = int(re.search(r"^read_bytes: (\d+)", (process / "io").read_text(), re.M)[1])


def counters(home, pid):
    """The VM's own; none with -XX:-UsePerfData."""
    return {name: int(value) for name, value in COUNTER.findall(jcmd(home, pid, "PerfCounter.print"))}


def old_used(counted):
    return counted["sun.gc.generation.1.space.0.used"]


def collections(seen, before, after):
    frequency = after["sun.os.hrt.frequency"]

    def grown(name):
        return after[name] - before[name]
    seen.minor_seconds = grown("sun.gc.collector.0.time") / frequency
    seen.major_seconds = grown("sun.gc.collector.1.time") / frequency
    seen.major_count = grown("sun.gc.collector.1.invocations")
    seen.max_old = after["sun.gc.generation.1.maxCapacity"]


def watch(home, pid, seconds):
    """(threads of the program that wait for a device, on average; old generation, once a second)"""
    waiting, polls, old = 0, 0, []
    end = time.monotonic() + seconds
    next_look = time.monotonic() + 1
    while time.monotonic() < end:
        waiting += waiting_threads(pid)
        polls += 1
        if time.monotonic() > next_look:
            next_look += 1
            if counted := counters(home, pid):
                old.append(old_used(counted))
        time.sleep(POLL)
    return waiting / max(1, polls), old


def waiting_threads(pid):
    count = 0
    for task in os.scandir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):  # a thread may end
            text = Path(task.path, "stat").read_text()
            name, _, fields = text.partition("(")[2].rpartition(")")
            count += fields.split()[0] == "D" and not OF_VM.match(name)
    return count


def limit_of(pid):
    """The memory limit of a process's control group in bytes, or None."""
    for folder, version in memory_cap.candidates(own=f"/proc/{pid}/cgroup"):
        with contextlib.suppress(OSError, ValueError):
            limit = int(memory_cap.MemoryCap(folder, version).limit_file.read_text())
            return limit if limit < min(NO_LIMIT, machine.meminfo()["MemTotal"]) else None
    return None
