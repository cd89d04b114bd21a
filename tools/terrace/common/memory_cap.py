# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""A cap on a program's memory, page cache included: a control group of its own, of version 1 or 2.

Without one the kernel lends all free memory of the machine as page cache, so that a heap on storage costs nothing
and spilling costs nothing either: such a comparison says nothing.
"""
import contextlib
import functools

from . import control_group
from .control_group import ControlGroup, NoControlGroup as NoMemoryCap
from .term import Failure

candidates = functools.partial(control_group.candidates, "memory")


class MemoryCap(ControlGroup):
    controller = "memory"

    def __init__(self, folder, version):
        super().__init__(folder, version)
        self.limit_file = folder / ("memory.limit_in_bytes" if version == 1 else "memory.max")
        self.swap_file = folder / ("memory.memsw.limit_in_bytes" if version == 1 else "memory.swap.max")
        self.peak_file = folder / ("memory.max_usage_in_bytes" if version == 1 else "memory.peak")

    def limit(self, size):
        """Page cache and anonymous memory together; no swap, which would only hide the cap."""
        self.limit_file.write_text(str(size))
        with contextlib.suppress(OSError):
            self.swap_file.write_text(str(size) if self.version == 1 else "0")

    def peak(self):
        """The most memory charged at a time, in bytes; None where the kernel does not tell (v2 before 5.19)."""
        try:
            return int(self.peak_file.read_text())
        except OSError:
            return None


@contextlib.contextmanager
def memory_cap(size, kind=MemoryCap):
    cap = create(kind)
    try:
        cap.limit(size)
        yield cap
    finally:
        cap.remove()


def create(kind=MemoryCap):
    return control_group.create(kind, candidates(), lambda cap: cap.limit(1 << 40))


def unavailable():
    """None if a cap can be had, else the reason why not."""
    try:
        create().remove()
        return None
    except NoMemoryCap as reason:
        return str(reason)


def require(purpose):
    """Failure, which begins with the purpose, if no cap can be had."""
    if reason := unavailable():
        raise Failure(f"{purpose}: no control group can be made: {reason}")
