# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Memory that is short while there is swap: a control group whose limit comes down step by step, and a swap file.

Both are gone when a bench ends, fails or is told to end. What a bench has made stands in a journal, so that the next one removes
what one left that was killed.
"""
import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import struct
import time
from pathlib import Path

from terrace.common import machine, memory_cap, paths
from terrace.common.control_group import NoControlGroup
from terrace.common.memory_cap import MemoryCap
from terrace.common.term import Failure, output

JOURNAL = paths.BUILD / "bench/swapping.json"
MIB, GIB = 1 << 20, 1 << 30
# The benchmark leaves so much memory, and so much of the disk, to the machine.
KEPT = 4 * GIB
# The limit comes down by this at once: what is above it is written out meanwhile.
STEP = 64 * MIB
# PAGEMAP_SCAN of <linux/fs.h>: the request, and twelve numbers of 64 bits of which the first is their size.
PAGEMAP_SCAN, SCAN_ARGUMENTS = 0xC0606610, struct.Struct("12Q")
SBIN = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


class SwappingCap(MemoryCap):
    """A limit on memory, but none on swap."""

    limit_now = None

    def limit(self, size):
        self.limit_file.write_text(str(size))
        self.limit_now = size

    def usage(self):
        return int((self.folder / ("memory.usage_in_bytes" if self.version == 1 else "memory.current")).read_text())

    def narrow(self, size):
        """One step towards a limit; True when it is there. What cannot be written out yet is tried again by the next call."""
        wanted = max(size, min(self.limit_now, self.usage()) - STEP)
        try:
            if self.version == 2:      # memory.max alone would end processes instead of waiting for the device
                (self.folder / "memory.high").write_text(str(wanted))
                if self.usage() > wanted:
                    return False
            self.limit(wanted)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        if wanted == size and self.version == 2:
            (self.folder / "memory.high").write_text("max")
        return wanted == size

    def processes(self):
        return [int(pid) for pid in (self.folder / "cgroup.procs").read_text().split()]

    def swap_ins(self):
        """Pages that came in from swap: the group's, or the machine's where the kernel does not tell them apart."""
        for file in (self.folder / "memory.stat", Path("/proc/vmstat")):
            if match := re.search(r"^pswpin (\d+)$", file.read_text(), re.M):
                return int(match[1])
        return None

    def oom_kills(self):
        file = self.folder / ("memory.oom_control" if self.version == 1 else "memory.events")
        match = re.search(r"^oom_kill (\d+)$", file.read_text(), re.M)
        return int(match[1]) if match else 0


def swapping_cap(size):
    return memory_cap.memory_cap(size, SwappingCap)


# -- What there is, and what there must be --------------------------------------------------------------------------

def has_pagemap_scan():
    """Asked with an empty range, as the VM does."""
    with open("/proc/self/pagemap", "rb") as file:
        arguments = SCAN_ARGUMENTS.pack(SCAN_ARGUMENTS.size, *[0] * 11)
        try:
            fcntl.ioctl(file, PAGEMAP_SCAN, bytearray(arguments))
            return True
        except OSError as error:
            return error.errno != errno.ENOTTY


def obstacle():
    """None, or why memory cannot be made short here."""
    try:
        memory_cap.create(SwappingCap).remove()
    except NoControlGroup as reason:
        return f"no control group can be made: {reason}"
    if os.geteuid() != 0 and machine.meminfo()["SwapTotal"] == 0:
        return "there is no swap, and only root can add some"
    return None


def pages_out_by_itself(damon="/sys/kernel/mm/damon/admin/kdamonds"):
    """Whether this kernel has been told to page out what is cold, without anyone being short of memory."""
    def text(file):
        with contextlib.suppress(OSError):
            return file.read_text().strip()
        return ""
    return any(text(daemon / "state") == "on" and any(text(action) == "pageout" for action in daemon.glob("contexts/*/schemes/*/action"))
               for daemon in Path(damon).glob("[0-9]*"))


def check_room(cap, swap, folder):
    """Fails before anything is made, if the machine or the disk would have too little left."""
    available = machine.meminfo()["MemAvailable"]
    if cap + KEPT > available:
        raise Failure(f"a run may take {cap // MIB} MB, and {KEPT // MIB} MB are kept for the machine, but only {available // MIB} MB "
                      "are available. Take --quick, --only or smaller values of --local, or end what else runs")
    free = shutil.disk_usage(folder).free
    if swap + KEPT > free:
        raise Failure(f"the swap file takes {swap // MIB} MB, and {KEPT // MIB} MB of the disk are kept free, but {folder} has "
                      f"{free // MIB} MB. Name another folder with --out, or take --quick")


# -- The swap file --------------------------------------------------------------------------------------------------

@contextlib.contextmanager
def swap(folder, size):
    """So much swap, of the machine if it has that free. Yields None then, and else the file."""
    if machine.meminfo()["SwapFree"] >= size:
        yield None
        return
    file = folder / f"swap-{os.getpid()}"
    try:
        with open(file, "wb") as new:
            os.fchmod(new.fileno(), 0o600)
            os.posix_fallocate(new.fileno(), 0, size)
        try:
            output([tool("mkswap"), file])
            output([tool("swapon"), file])
        except Failure as failure:
            raise Failure(f"no swap: {failure}. A swap file must lie on a file system that can have one (ext4, XFS), which "
                          "--out names") from None
        yield file
    finally:
        remove_swap(file)


def tool(name):
    found = shutil.which(name, path=SBIN)
    if not found:
        raise Failure(f"'{name}' is not installed; it is in the package util-linux (or mount)")
    return found


def remove_swap(file):
    if is_in_use(file):
        output([tool("swapoff"), file])
    file.unlink(missing_ok=True)


def is_in_use(file, swaps="/proc/swaps"):
    # A space in a path is written as \040 there.
    return any(line.split()[0].replace("\\040", " ") == str(file) for line in Path(swaps).read_text().splitlines()[1:])


# -- What is left when a bench was killed ---------------------------------------------------------------------------

@contextlib.contextmanager
def journal(folder, file=JOURNAL):
    """Around all of it. `folder` is where the swap file will be."""
    clean_up(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"pid": os.getpid(), "started": started(os.getpid()), "folder": str(folder)}))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def clean_up(file=JOURNAL):
    """Removes what a bench left that was killed: its programs, its groups, its swap. Fails while one runs."""
    try:
        left = json.loads(file.read_text())
    except FileNotFoundError:
        return False
    except ValueError:
        raise Failure(f"{paths.relative(file)} cannot be read. See with 'swapon --show' whether a swap file of a bench is left, "
                      "end it with 'swapoff FILE', and remove both files") from None
    pid = left["pid"]
    if started(pid) == left["started"]:
        raise Failure(f"another bench with swap runs (process {pid}); two would measure each other")
    for parent, version in memory_cap.candidates():
        for folder in parent.glob(f"terrace-{pid}-*"):
            remove_group(SwappingCap(folder, version))
    remove_swap(Path(left["folder"]) / f"swap-{pid}")
    file.unlink(missing_ok=True)
    return True


def remove_group(group):
    """With what runs in it: it was made for that."""
    for pid in group.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while group.processes() and time.monotonic() < end:
        time.sleep(0.1)
    group.remove()


def started(pid):
    """When, in the clock ticks of /proc; None if there is no such process, or it has ended and nobody has waited for it (where the
    first process of a container does not, it stays). Tells processes of one number apart."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else int(fields[19])
