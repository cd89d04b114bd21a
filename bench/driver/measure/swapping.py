# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Creates a shortage of memory with swap, by a control group whose limit is reduced in steps and by a swap file.

Both are removed when a bench ends, fails or is terminated. A journal records them, so that the next bench removes the
remains of a killed one.
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
# Memory and disk space that the benchmark leaves to the machine.
KEPT = 4 * GIB
# Size of a step. The kernel writes the excess pages to swap before the next step.
STEP = 64 * MIB
# PAGEMAP_SCAN of <linux/fs.h>: the request number, and a structure of twelve 64-bit numbers. The first one is its size.
PAGEMAP_SCAN, SCAN_ARGUMENTS = 0xC0606610, struct.Struct("12Q")
SBIN = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


class SwappingCap(MemoryCap):
    """A limit on memory without a limit on swap."""

    limit_now = None

    def limit(self, size):
        self.limit_file.write_text(str(size))
        self.limit_now = size

    def usage(self):
        return int((self.folder / ("memory.usage_in_bytes" if self.version == 1 else "memory.current")).read_text())

    def narrow(self, size):
        """Makes one step towards a limit. Returns True when it is reached. The next call retries if pages cannot be written out yet."""
        wanted = max(size, min(self.limit_now, self.usage()) - STEP)
        try:
            if self.version == 2:      # memory.max alone would kill processes instead of waiting for the device
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
        """Returns the pages read from swap, by the group, or by the machine if the kernel does not count them for the group."""
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


# -- Support and requirements ----------------------------------------------------------------------------------------

def has_pagemap_scan():
    """Tests the kernel with an empty range, like the VM."""
    with open("/proc/self/pagemap", "rb") as file:
        arguments = SCAN_ARGUMENTS.pack(SCAN_ARGUMENTS.size, *[0] * 11)
        try:
            fcntl.ioctl(file, PAGEMAP_SCAN, bytearray(arguments))
            return True
        except OSError as error:
            return error.errno != errno.ENOTTY


def obstacle():
    """Returns why memory cannot be made short here, or None."""
    try:
        memory_cap.create(SwappingCap).remove()
    except NoControlGroup as reason:
        return f"no control group can be made: {reason}"
    if os.geteuid() != 0 and machine.meminfo()["SwapTotal"] == 0:
        return "the machine has no swap, and only root can add a swap file"
    return None


def pages_out_by_itself(damon="/sys/kernel/mm/damon/admin/kdamonds"):
    """Returns whether this kernel is configured to page out cold pages even without a memory shortage."""
    def text(file):
        with contextlib.suppress(OSError):
            return file.read_text().strip()
        return ""
    return any(text(daemon / "state") == "on" and any(text(action) == "pageout" for action in daemon.glob("contexts/*/schemes/*/action"))
               for daemon in Path(damon).glob("[0-9]*"))


def check_room(cap, swap, folder):
    """Fails in advance if the machine or the disk would have too little space left."""
    available = machine.meminfo()["MemAvailable"]
    if cap + KEPT > available:
        raise Failure(f"a run needs {cap // MIB} MB of memory, and {KEPT // MIB} MB must stay free, but only {available // MIB} MB "
                      "are available. Choose smaller sizes (-h lists the options), or stop other programs")
    free = shutil.disk_usage(folder).free
    if swap + KEPT > free:
        raise Failure(f"the swap file needs {swap // MIB} MB, and {KEPT // MIB} MB of the disk must stay free, but {folder} has only "
                      f"{free // MIB} MB. Name another folder with --out, or choose smaller sizes")


# -- The swap file --------------------------------------------------------------------------------------------------

@contextlib.contextmanager
def swap(folder, size):
    """Provides swap of the given size. Yields None if the machine has it free, else the created swap file."""
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
    # /proc/swaps writes a space in a path as \040.
    return any(line.split()[0].replace("\\040", " ") == str(file) for line in Path(swaps).read_text().splitlines()[1:])


# -- Cleanup after a killed bench ------------------------------------------------------------------------------------

@contextlib.contextmanager
def journal(folder, file=JOURNAL):
    """Encloses the complete bench. `folder` will contain the swap file."""
    clean_up(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"pid": os.getpid(), "started": started(os.getpid()), "folder": str(folder)}))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def clean_up(file=JOURNAL):
    """Removes the programs, groups and swap of a killed bench. Fails while a bench is running."""
    try:
        left = json.loads(file.read_text())
    except FileNotFoundError:
        return False
    except ValueError:
        raise Failure(f"{paths.relative(file)} cannot be read. See with 'swapon --show' whether a swap file of a bench is left, "
                      "end it with 'swapoff FILE', and remove both files") from None
    pid = left["pid"]
    if started(pid) == left["started"]:
        raise Failure(f"another benchmark with swap is running (process {pid}), and both would disturb each other: wait until it ends")
    for parent, version in memory_cap.candidates():
        for folder in parent.glob(f"terrace-{pid}-*"):
            remove_group(SwappingCap(folder, version))
    remove_swap(Path(left["folder"]) / f"swap-{pid}")
    file.unlink(missing_ok=True)
    return True


def remove_group(group):
    """Removes a group and kills the processes in it, which belong to the bench."""
    for pid in group.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while group.processes() and time.monotonic() < end:
        time.sleep(0.1)
    group.remove()


def started(pid):
    """Returns the start time in clock ticks of /proc, which distinguishes processes with the same number.

    Returns None for a missing process or a zombie. Zombies remain in a container whose first process does not reap them.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else int(fields[19])
