"""A cap on a program's memory, page cache included: a control group of its own, of version 1 or 2.

Without one the kernel lends all free memory of the machine as page cache, so that a heap on storage costs nothing
and spilling costs nothing either: such a comparison says nothing.
"""
import contextlib
import os
import time
from pathlib import Path


class NoMemoryCap(Exception):
    """Why no memory cap can be had here."""


class MemoryCap:
    """A child control group. Files differ between the two versions, meaning does not."""

    def __init__(self, folder, version):
        self.folder = folder
        self.limit_file = folder / ("memory.limit_in_bytes" if version == 1 else "memory.max")
        self.swap_file = folder / ("memory.memsw.limit_in_bytes" if version == 1 else "memory.swap.max")
        self.peak_file = folder / ("memory.max_usage_in_bytes" if version == 1 else "memory.peak")
        self.version = version

    def limit(self, size):
        """Page cache and anonymous memory together; no swap, which would only hide the cap."""
        self.limit_file.write_text(str(size))
        with contextlib.suppress(OSError):
            self.swap_file.write_text(str(size) if self.version == 1 else "0")

    def enter(self):
        """Moves the calling process in: for the child, between fork and exec."""
        (self.folder / "cgroup.procs").write_text("0")

    def peak(self):
        """The most memory charged at a time, in bytes; None where the kernel does not tell (v2 before 5.19)."""
        try:
            return int(self.peak_file.read_text())
        except OSError:
            return None

    def remove(self):
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.1)  # the last process has ended but is still being taken apart


@contextlib.contextmanager
def memory_cap(size):
    cap = create()
    try:
        cap.limit(size)
        yield cap
    finally:
        cap.remove()


def create():
    refused = []
    for parent, version in candidates():
        folder = parent / f"terrace-{os.getpid()}-{time.monotonic_ns()}"
        try:
            folder.mkdir()
        except OSError as error:
            refused.append(f"{parent}: {error.strerror}")
            continue
        cap = MemoryCap(folder, version)
        try:
            cap.limit(1 << 40)
            return cap
        except OSError as error:
            refused.append(f"{parent}: {error.strerror}")
            cap.remove()
    raise NoMemoryCap("; ".join(refused) or "no memory controller is mounted")


def unavailable():
    """None if a cap can be had, else the reason why not."""
    try:
        create().remove()
        return None
    except NoMemoryCap as reason:
        return str(reason)


def candidates(mounts="/proc/self/mountinfo", own="/proc/self/cgroup"):
    """Where a child group may be made: below our own, so that limits on us keep holding, then at the top."""
    paths = own_paths(Path(own).read_text())
    for line in Path(mounts).read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        mount = Path(left.split()[4])
        if kind == "cgroup" and "memory" in options.split(","):
            version, inside = 1, paths.get("memory")
        elif kind == "cgroup2" and "memory" not in paths:
            version, inside = 2, paths.get("")
        else:
            continue
        if inside and inside != "/":
            yield mount / inside.lstrip("/"), version
        yield mount, version


def own_paths(text):
    """Controller to path; the empty name is version 2."""
    paths = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths
