# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Control groups of version 1 and 2: where one can be made, entering it, and removing it.

What a group limits is up to its class: see memory_cap and processor_cap.
"""
import contextlib
import errno
import os
import subprocess
import tempfile
import time
from pathlib import Path


class NoControlGroup(Exception):
    """Why no control group can be had here."""


class ControlGroup:
    """A child control group. Files differ between the two versions, meaning does not."""

    controller = None

    def __init__(self, folder, version):
        self.folder, self.version = folder, version

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def enter(self):
        """Moves the calling process in: for the child, between fork and exec."""
        self.write("cgroup.procs", "0")

    def peak(self):
        """The most memory charged at a time, in bytes; None where it is not counted."""
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


def create(kind, places, limit):
    """A group of the class `kind`, in the first of the (parent, version) in which `limit` can limit it and a process enter it."""
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
    """Children of a group of version 2 have the controllers that it shares out. Once a group is made this stays so, since
    other groups may count on it by then."""
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
    """Groups can be made that admit no process: of version 2 below one that has processes, or by users who may not move any."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        group.write("cgroup.procs", str(process.pid))


def candidates(controller, mounts="/proc/self/mountinfo", own="/proc/self/cgroup"):
    """Where a child group may be made: below our own, so that limits on us keep holding, then at the top."""
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
    """Controller to path; the empty name is version 2."""
    paths = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths
