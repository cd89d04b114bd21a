# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Simulates the processors of a container by a control group with one processor, half of its time, or a changing set."""
import contextlib
import os

from terrace.common import control_group
from terrace.common.control_group import ControlGroup, NoControlGroup
from terrace.common.term import Failure

QUOTA_PERIOD = 100_000   # microseconds; the kernel's default
CHANGE_SECONDS = 2


class ProcessorCap(ControlGroup):
    """A control group that limits processors. `words` describe it in titles. `slower` is the factor by which a program may
    take longer than on two processors."""

    words = None
    slower = 1

    def limit(self):
        raise NotImplementedError

    def watch(self, elapsed):
        """Called several times per second with the elapsed seconds of the program."""


class HalfCpu(ProcessorCap):
    controller, words, slower = "cpu", "half of a processor's time", 4

    def limit(self):
        if self.version == 1:
            self.write("cpu.cfs_period_us", str(QUOTA_PERIOD))
            self.write("cpu.cfs_quota_us", str(QUOTA_PERIOD // 2))
        else:
            self.write("cpu.max", f"{QUOTA_PERIOD // 2} {QUOTA_PERIOD}")


class Cpuset(ProcessorCap):
    controller, slower = "cpuset", 2

    def allow(self, processors):
        self.write("cpuset.cpus", ",".join(map(str, processors)))

    def limit(self):
        if self.version == 1:  # at first it has no memory nodes, and admits no process without them
            self.write("cpuset.mems", (self.folder.parent / "cpuset.mems").read_text())
        self.watch(0)


class OneCpu(Cpuset):
    words = "one processor"

    def limit(self):
        super().limit()
        self.allow(allowed()[-1:])


class ChangingCpuset(Cpuset):
    words = "processors that change"
    now = None

    def watch(self, elapsed):
        every = allowed()
        wanted = every if int(elapsed / CHANGE_SECONDS) % 2 == 0 else every[-1:]
        if wanted != self.now:
            self.allow(wanted)
            self.now = wanted


KINDS = {"one-cpu": OneCpu, "half-cpu": HalfCpu, "changing-cpuset": ChangingCpuset}


def allowed():
    return sorted(os.sched_getaffinity(0))


@contextlib.contextmanager
def container(name):
    """Yields a group of one of the KINDS, or None without a name."""
    if not name:
        yield None
        return
    group = create(name)
    try:
        yield group
    finally:
        group.remove()


def require(name):
    """Fails if a container of this kind is not possible here."""
    with container(name):
        pass


def create(name):
    kind = KINDS[name]
    if kind is ChangingCpuset and len(allowed()) < 2:
        raise Failure(f"--container {name}: this kind needs at least two processors, and only one is available. Use another "
                      "machine or another kind")
    try:
        return control_group.create(kind, control_group.candidates(kind.controller), kind.limit)
    except NoControlGroup as reason:
        raise Failure(f"--container {name}: no control group with the controller '{kind.controller}' can be made: {reason}. "
                      "Run it as root, inside a container where /sys/fs/cgroup is writable (docker run --privileged), or omit "
                      "--container") from None
