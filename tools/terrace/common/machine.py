# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Describes the machine of a measurement. Reports print these facts beside their numbers."""
import collections
import os
import platform
import re
import subprocess
from pathlib import Path

from .term import SHORT_SECONDS

# A line of /proc/PID/status.
ANONYMOUS = re.compile(r"^RssAnon:\s+(\d+) kB", re.M)


def facts(folder):
    """Returns names and values in the order of display. `folder` is the place of the data."""
    memory = meminfo()
    return {
        "CPU": f"{cpu_model()}, {len(os.sched_getaffinity(0))} cores",
        "Memory": f"{gib(memory['MemTotal'])}, swap {gib(memory['SwapTotal']) if memory['SwapTotal'] else 'none'}",
        "Kernel": f"{platform.system()} {platform.release()}",
        "System": distribution(),
        "Disk": disk(folder),
    }


def java_version(home):
    """Returns the three lines of `java -version`."""
    result = subprocess.run([str(home / "bin/java"), "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=SHORT_SECONDS)
    return [line for line in result.stdout.splitlines() if not line.startswith("Picked up")]


def cpu_model():
    match = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.M)
    return match[1] if match else platform.machine()


def meminfo():
    """Returns the sizes in bytes."""
    return {name: int(size) << 10
            for name, size in re.findall(r"^(\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)}


def gib(size):
    return f"{size / (1 << 30):.1f} GiB"


def distribution():
    try:
        text = Path("/etc/os-release").read_text()
    except OSError:
        return "unknown"
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.M)
    return match[1] if match else "unknown"


Mount = collections.namedtuple("Mount", "folder number kind device")


def mount_of(folder, mounts="/proc/self/mountinfo"):
    """Returns the Mount that contains a folder, whose path must have no links."""
    best = None
    for line in Path(mounts).read_text().splitlines():
        left, _, right = line.partition(" - ")
        mount = left.split()[4]
        inside = folder == mount or folder.startswith(mount.rstrip("/") + "/")
        if inside and (best is None or len(mount) >= len(best.folder)):
            best = Mount(mount, left.split()[2], right.split()[0], right.split()[1])
    return best


def disk(folder):
    """Returns the file system, the device, and whether the kernel considers it rotational."""
    mount = mount_of(os.path.realpath(folder))
    details = [mount.kind, mount.device]
    block = Path("/sys/dev/block") / mount.number
    if (block / "partition").exists():
        block = Path(os.path.realpath(block)).parent
    for name in ("device/model", "queue/rotational"):
        try:
            text = (block / name).read_text().strip()
        except OSError:
            continue
        details.append({"0": "no rotation", "1": "rotational (or a virtual disk)"}.get(text, text)
                       if name.endswith("rotational") else text)
    return ", ".join(details)
