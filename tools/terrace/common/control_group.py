# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Creates, enters and removes control groups of version 1 and 2.

Subclasses define the limited resource (see memory_cap and processor_cap).
"""
import contextlib
import errno
import os
import subprocess
import tempfile
import time
from pathlib import Path


class NoControlGroup(Exception):
    """The reason why no control group can be created."""


class ControlGroup:
    """A child control group. The names of files depend on the version, their meaning does not."""

    controller = None

    def __init__(self, folder, version):
        self.folder, self.version = folder, version

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def enter(self):
        """Moves the calling process into the group. The child calls this between fork and exec."""
        self.write("cgroup.procs", "0")

    def peak(self):
        """Returns the most memory that was charged at one time, in bytes. None if the kernel does not count it."""
        return None

    def remove(self):
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.1)  # the kernel may still be removing the last process


def create(kind, places, limit):
    """Creates a group of the class `kind`, in the first (parent, version) where `limit` works and a process can enter the group."""
    refused = []
    for parent, version in places:
        try:
            return create_in(parent, version, kind, limit)
        except OSError as error:
            refused.append(f"{parent}: {error.strerror}")
    raise NoControlGroup("; ".join(refused) or f"no {kind.controller} controller is mounted")


def create_in(parent, version, kind, limit):
    with contextlib.ExitStack() as undo:
        if version == 2:
            undo.enter_context(shared(parent, kind.controller))
        group = kind(Path(tempfile.mkdtemp(prefix=f"terrace-{os.getpid()}-", dir=parent)), version)
        undo.callback(group.remove)
        limit(group)
        try_to_enter(group)
        undo.pop_all()
        return group


@contextlib.contextmanager
def shared(parent, controller):
    """Enables a controller for the children of a group of version 2. It stays enabled once a child group exists, because
    other groups may depend on it by then."""
    file = parent / "cgroup.subtree_control"
    if not file.exists() or controller in file.read_text().split():
        yield
        return
    if controller not in (parent / "cgroup.controllers").read_text().split():
        raise OSError(errno.ENODEV, f"{controller} is not among its cgroup.controllers")
    file.write_text(f"+{controller}")
    try:
        yield
    except OSError:
        with contextlib.suppress(OSError):
            file.write_text(f"-{controller}")
        raise


def try_to_enter(group):
    """Checks that the group admits a process. The kernel refuses processes in a group of version 2 below a group that has
    processes, and users who may not move processes."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        group.write("cgroup.procs", str(process.pid))


def candidates(controller, mounts="/proc/self/mountinfo", own="/proc/self/cgroup"):
    """Yields the parents for a child group: first our own group, so that its limits remain in force, then the top."""
    paths = own_paths(Path(own).read_text())
    for line in Path(mounts).read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        mount = Path(left.split()[4])
        if kind == "cgroup" and controller in options.split(","):
            version, inside = 1, paths.get(controller)
        elif kind == "cgroup2" and controller not in paths:
            version, inside = 2, paths.get("")
        else:
            continue
        if inside and inside != "/":
            yield mount / inside.lstrip("/"), version
        yield mount, version


def own_paths(text):
    """Returns {controller: path}. The empty name is version 2."""
    paths = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths
