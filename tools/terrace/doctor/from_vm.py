# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Observes a running virtual machine for `terrace doctor` by diagnostic commands and by the kernel's counters."""
import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

from ..common import machine, memory_cap
from ..common.faults import Faults
from ..common.term import Failure
from .observation import Label, MIB, Observation, SecondHeap

POLL_SECONDS = 0.05
# Thread names of the VM as the kernel knows them. These threads may wait without a delay of the program.
OF_VM = re.compile(r"(GC |VM |G1 |C[12] Compiler|H2 |Signal|Common-Cl|Monitor De|Service|Notificat|Sweeper|Attach|Ref|Finalizer)")
SUMMARY = re.compile(r"^H2 in (.*): (\d+) of (\d+) regions of (\d+)M in use", re.M)
OBJECTS = re.compile(r"^Objects: ([\d.]+)M, ([\d.]+)M of it in memory, (?:([\d.]+)M known to be garbage|garbage is not known)",
                     re.M)
FREED = re.compile(r"^A major collection came first, and freed (\d+) regions", re.M)
HINTS = re.compile(r"^Hints: (\d+) tagged", re.M)
TRANSFERS = re.compile(r"^Transfers: (\d+), (\d+) abandoned(?: \(last: (.*?)\))?; \d+ objects, ([\d.]+)M", re.M)
UNLOCKS = re.compile(r"^Locked by the program \(mlockall\), and unlocked: (\d+) times", re.M)
READ = re.compile(r"^Read by major collections, for references to H1: ([\d.]+)M(?:, ([\d.]+)M of it)?", re.M)
# The columns of waits and of the share of garbage are optional, because older VMs do not have them.
LABEL = re.compile(r"^ *(-?\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+|-)(?: +\d+%)?(?: +([\d.]+|-))?(?:  (.*))?$", re.M)
HOLDER = re.compile(r"(-?\d+) \(\d+\)")
READS = re.compile(r"^reads of label (-?\d+): (\w+), \d+ changes", re.M)
SUMMARIES = re.compile(r"^Summaries: (on|off),", re.M)
SWAPPED = re.compile(r"^VmSwap:\s+(\d+) kB", re.M)
COUNTER = re.compile(r"^([\w.]+)=(-?\d+)$", re.M)
CAUSE = re.compile(r'^sun\.gc\.(?:lastC|c)ause="(.*)"$', re.M)
# The cause of a collection that was requested, although the heap did not need it.
REQUESTED = re.compile(r"System\.gc\(\)|Diagnostic Command|Heap Inspection|Heap Dump|Second Heap Transfer|Metadata GC|JvmtiEnv")
OLD_USED = "sun.gc.generation.1.space.0.used"
MAJOR_COUNT = "sun.gc.collector.1.invocations"


def observe(pid, seconds, look_at_objects):
    home = home_of(pid)
    h2_before = second_heap(home, pid, False)
    before = Sample(home, pid)
    waiting, old = watch(home, pid, seconds)
    after = Sample(home, pid)
    h2 = second_heap(home, pid, look_at_objects)
    flags = jcmd(home, pid, "VM.flags")
    seen = Observation(
        seconds=after.at - before.at, uptime=uptime(home, pid), h2=h2, waiting=waiting, anonymous=after.anonymous,
        limit=limit_of(pid), major_faults=after.major_faults - before.major_faults,
        random_access=random_access(flags), g1="+UseG1GC" in flags, shenandoah="+UseShenandoahGC" in flags,
        far="+UseFarMemory" in flags, swapped=after.swapped,
        faults={group: count - before.faults[group] for group, count in after.faults.items()})
    if seen.far and (summaries := SUMMARIES.search(jcmd(home, pid, "Terrace.far"))):
        seen.summaries = summaries[1] == "on"
    if before.device_read is not None and after.device_read is not None:
        seen.device_read = after.device_read - before.device_read
    if h2 and h2_before:
        seen.abandoned = h2.abandoned - h2_before.abandoned
        seen.read_for_references = h2.read_by_collections - h2_before.read_by_collections
        seen.read_for_moves = h2.reread - h2_before.reread
        seen.file_system = file_system(pid, h2.directory)
        seen.waited = waited(h2_before, h2)
        seen.transfers = h2.transfers - h2_before.transfers
        seen.moved, seen.grown = h2.moved - h2_before.moved, h2.live - h2_before.live
        seen.moves_unhinted = "-XX:-H2MoveUnhinted" not in flags
    if after.causes:
        seen.requested = any(REQUESTED.match(cause) for cause in after.causes)
    if match := re.search(r"-XX:MaxHeapSize=(\d+)", flags):
        seen.max_heap = int(match[1])
    if OLD_USED in after.counters and MAJOR_COUNT in after.counters:
        collections(seen, before.counters, after.counters)
        old += [before.counters[OLD_USED], after.counters[OLD_USED]]
        seen.least_old, seen.most_old = min(old), max(old)
    return seen


def random_access(flags):
    """Returns whether H2RandomAccess is on, or None if it is not set."""
    match = re.search(r"-XX:([+-])H2RandomAccess\b", flags)
    return match and match[1] == "+"


def waited(before, after):
    """Returns {label: seconds} that program threads waited for pages of H2 between two samples, as far as the VM measured it."""
    earlier = {label.label: label.waited or 0 for label in before.labels}
    grown = {label.label: round(label.waited - earlier.get(label.label, 0), 1) for label in after.labels
             if label.waited is not None}
    return {label: seconds for label, seconds in grown.items() if seconds > 0}


def home_of(pid):
    """Returns the home of the JDK that a process runs on, which has the matching jcmd. A process without a JVM is rejected,
    because jcmd would send it a signal."""
    try:
        program = Path(os.readlink(f"/proc/{pid}/exe"))
        is_java = "libjvm.so" in Path(f"/proc/{pid}/maps").read_text()
    except FileNotFoundError:
        if not Path(f"/proc/{pid}").exists():
            raise Failure(f"there is no process {pid} (jps -l lists Java's)") from None
        raise Failure(f"process {pid} is not a Java process: it has ended, or is a thread of the kernel") from None
    except PermissionError:
        raise Failure(not_permitted(pid)) from None
    home = program.parent.parent
    if not is_java:
        raise Failure(f"process {pid} is not a Java process: it runs {program}")
    if not os.access(home / "bin/jcmd", os.X_OK):
        raise Failure(f"process {pid} runs {program}, which has no jcmd in the same folder: use its GC log instead")
    return home


def not_permitted(pid):
    """Returns why the program of a process cannot be found out. A container takes that right even from root."""
    process = Path(f"/proc/{pid}")
    try:
        name, owner = (process / "comm").read_text().strip(), process.stat().st_uid
    except OSError:
        return f"process {pid} has ended, or belongs to another user"
    if owner != os.geteuid() and os.geteuid() != 0:
        return f"process {pid} ({name}) belongs to another user: run this as that user, or as root"
    return (f"process {pid} ({name}) may not be inspected, not even by {'root' if os.geteuid() == 0 else 'its user'}: if it is a Java process "
            "(jps -l lists them), run this in its container, or with the capability SYS_PTRACE")


def run_tool(command, pid, timeout=600):
    try:
        return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, env=dict(os.environ, LC_ALL="C"))
    except subprocess.TimeoutExpired:
        raise Failure(f"process {pid} does not answer {Path(command[0]).name}: it may be stopped, or starting") from None


def jcmd(home, pid, *command):
    result = run_tool([home / "bin/jcmd", pid, *command], pid)
    if result.returncode and "Unknown diagnostic command" not in result.stdout:
        raise Failure(f"jcmd {pid} {' '.join(command)} failed:\n{result.stdout.strip()}")
    return result.stdout


def second_heap(home, pid, look_at_objects):
    return parse_h2(jcmd(home, pid, "Terrace.h2", *(["-objects"] if look_at_objects else []), "-labels=1000"))


def parse_h2(text):
    """Parses the output of Terrace.h2. Returns None if there is no H2."""
    summary = SUMMARY.search(text)
    if not summary:
        return None
    objects, transfers, unlocks = OBJECTS.search(text), TRANSFERS.search(text), UNLOCKS.search(text)
    read, freed = READ.search(text), FREED.search(text)
    table = text[text.find("\n\n"):] if "\n\n" in text else ""
    labels = [Label(int(row[1]), int(row[2]), int(row[3]), mega(row[4]), mega(row[5]), 0 if row[6] == "-" else mega(row[6]),
                    [int(holder) for holder in HOLDER.findall(row[8] or "")], None if row[7] in ("-", None) else float(row[7]))
              for row in LABEL.finditer(table.split("\n\nLabel ")[0])]
    return SecondHeap(
        directory=summary[1], regions_in_use=int(summary[2]), regions=int(summary[3]), region_size=int(summary[4]) * MIB,
        used=mega(objects[1]), resident=mega(objects[2]), garbage=mega(objects[3]) if objects[3] else None,
        freed=int(freed[1]) if freed else None, tagged=int(HINTS.search(text)[1]),
        read_by_collections=mega(read[1]), reread=mega(read[2] or 0),
        transfers=int(transfers[1]), abandoned=int(transfers[2]), last_error=transfers[3], moved=mega(transfers[4]),
        unlocks=int(unlocks[1]) if unlocks else 0, labels=labels,
        reads={int(label): mode for label, mode in READS.findall(text)})


def mega(text):
    return int(float(text) * MIB)


class Sample:
    """Counters of a process at one time."""

    def __init__(self, home, pid):
        self.at = time.monotonic()
        # Counters of the VM, which are empty with -XX:-UsePerfData.
        counters = jcmd(home, pid, "PerfCounter.print")
        self.counters = {name: int(value) for name, value in COUNTER.findall(counters)}
        self.causes = CAUSE.findall(counters)
        process = Path(f"/proc/{pid}")
        try:
            self.major_faults = int(fields_of(process / "stat")[1][9])
            status = (process / "status").read_text()
        except OSError:
            raise Failure(f"process {pid} has ended") from None
        anonymous, swapped = machine.ANONYMOUS.search(status), SWAPPED.search(status)
        self.swapped = int(swapped[1]) << 10 if swapped else None
        self.faults = Faults().sample(pid)
        self.anonymous = int(anonymous[1]) << 10 if anonymous else None
        self.device_read = None
        with contextlib.suppress(OSError):
            self.device_read = int(re.search(r"^read_bytes: (\d+)", (process / "io").read_text(), re.M)[1])


def fields_of(stat):
    """Returns (name, fields from the state on) of a process or thread. The name may contain any character."""
    name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
    return name, rest.split()


def uptime(home, pid):
    match = re.search(r"^([\d.]+) s$", jcmd(home, pid, "VM.uptime"), re.M)
    return float(match[1]) if match else None


def collections(seen, before, after):
    frequency = after["sun.os.hrt.frequency"]

    def grown(name):
        return after[name] - before[name]
    seen.minor_seconds = grown("sun.gc.collector.0.time") / frequency
    seen.major_seconds = grown("sun.gc.collector.1.time") / frequency
    seen.major_count = grown(MAJOR_COUNT)
    seen.max_old = after["sun.gc.generation.1.maxCapacity"]


def watch(home, pid, seconds):
    """Returns (mean number of program threads that wait for a device, bytes in the old generation once a second)."""
    jstat = subprocess.Popen([str(home / "bin/jstat"), "-gc", str(pid), "1000"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, LC_ALL="C"))
    try:
        waiting, polls = 0, 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            waiting += waiting_threads(pid)
            polls += 1
            time.sleep(POLL_SECONDS)
    finally:
        jstat.terminate()
        text = jstat.communicate()[0]
    return waiting / max(1, polls), old_of(text)


def old_of(jstat):
    """Returns the bytes in the old generation from the output of `jstat -gc`."""
    lines = [line.split() for line in jstat.splitlines()]
    if not lines or "OU" not in lines[0]:
        return []
    column = lines[0].index("OU")
    return [int(float(line[column]) * 1024) for line in lines[1:] if len(line) == len(lines[0])]


def waiting_threads(pid):
    count = 0
    with contextlib.suppress(FileNotFoundError):  # the process may end
        for task in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):    # the thread may end
                name, fields = fields_of(Path(task.path, "stat"))
                count += fields[0] == "D" and not OF_VM.match(name)
    return count


def file_system(pid, directory):
    """Returns the type of the file system that contains the directory, as the process sees it. Returns None if it is
    unknown or H2 is on a NUMA node."""
    if directory.startswith("memory of node "):
        return None
    with contextlib.suppress(OSError):
        folder = os.path.normpath(os.path.join(os.readlink(f"/proc/{pid}/cwd"), directory))
        mount = machine.mount_of(folder, f"/proc/{pid}/mountinfo")
    return mount.kind if mount else None     # in a chroot, the mount of its root is not listed


def limit_of(pid):
    """Returns the smallest memory limit of a process's control group and its ancestors in bytes, or None."""
    least = machine.meminfo()["MemTotal"]
    found = None
    own, version = next(memory_cap.candidates(own=f"/proc/{pid}/cgroup"), (Path("/"), 2))
    for group in (own, *own.parents):
        with contextlib.suppress(OSError, ValueError):
            limit = int(memory_cap.MemoryCap(group, version).limit_file.read_text())
            if limit < least:
                found = least = limit
    return found
