# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Limits the memory of a program, including its page cache, by a control group of version 1 or 2.

Without a limit, the kernel uses all free memory as page cache. Then neither a heap on storage nor spilling costs
anything, and their comparison is meaningless.
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
        """Limits page cache and anonymous memory together, without swap, which would only hide the limit."""
        self.limit_file.write_text(str(size))
        with contextlib.suppress(OSError):
            self.swap_file.write_text(str(size) if self.version == 1 else "0")

    def peak(self):
        """Returns the most memory that was charged at one time, in bytes. None if the kernel does not report it (v2 before 5.19)."""
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
    """Returns the reason why no limit is possible, or None."""
    try:
        create().remove()
        return None
    except NoMemoryCap as reason:
        return str(reason)


def require(purpose):
    """Raises a Failure, which begins with the purpose, if no limit is possible."""
    if reason := unavailable():
        raise Failure(f"{purpose}: no control group can be made: {reason}")
